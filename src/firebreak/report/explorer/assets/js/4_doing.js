// What happens: questions to the server, clicks, keys, lines that are drawn.
const queue = {};  // of each address one question is under way, and the latest one waits
async function ask(address, wanted, done) {
  const own = queue[address] ??= {busy: false, next: null};
  own.next = {wanted, done};
  if (own.busy) return;
  own.busy = true;
  while (own.next) {
    const {wanted: now, done: then} = own.next;
    own.next = null;
    try {
      const reply = await fetch(`api/${address}?${new URLSearchParams(now)}`), answer = await reply.json();
      if (!reply.ok) { say(answer.error); continue; }
      hush();
      if (!own.next) then(answer);
    } catch { say("The explorer does not answer: is 'firebreak visualize --serve' still running?"); }
  }
  own.busy = false;
}
function where() {
  const e = edits();
  return {plan: plan().name, step: S.step, add: e.add.join(","), remove: e.remove.join(",")};
}
function refresh(told) {
  if (!live && S.fire) { S.fire = null; S.playing = false; $("which").value = ""; }
  remark();
  if (live) {
    ask("state", {...where(), q: S.layer === "q" ? 1 : 0}, (answer) => {
      const was = S.now;
      took(unpackedState(answer));
      if (told) say(told(was, S.now), true);
      mark("state");
    });
  } else {
    const held = data.states[plan().name].filter((state) => state.step <= S.step);
    took(cache(held[held.length - 1]));
  }
  show();
  if (S.fire && live) lightAgain();
}
function took(state) { S.now = state; stateNumber++; show(); }
function remark() { layMarks(); marksNumber++; }
const unpackedStates = new Map();
function cache(answer) {
  if (!unpackedStates.has(answer)) unpackedStates.set(answer, unpackedState(answer));
  return unpackedStates.get(answer);
}
function asFire(answer) {
  const without = grid(answer.without), treated = grid(answer.treated);
  return {...answer, without, treated, withoutCounts: countsOf(without), treatedCounts: countsOf(treated)};
}
function lightFire(cell) {
  if (!burnable[cell]) { say("This cell cannot burn: choose another cell."); return; }
  ask("fire", {...where(), cell, ...S.wind, minutes: minutes()}, (answer) => {
    const fresh = !S.fire || S.fire.cell !== answer.cell, share = S.fire ? S.time / S.fire.minutes : 1;
    S.fire = asFire(answer);
    S.time = fresh ? 0 : share * answer.minutes;
    if (fresh) play(true);
    show(); mark("fire");
  });
}
const lightAgain = () => lightFire(S.fire.cell);
const minutes = () => Math.min(Math.max(data.minutes * 2 ** Number($("minutes").value), 1), data.bounds.minutes[1]);
function toggle(cell) {
  const own = new Set(prefix());
  if (own.has(cell)) S.removed.has(cell) ? S.removed.delete(cell) : S.removed.add(cell);
  else if (S.added.has(cell)) S.added.delete(cell);
  else if (!treatable[cell]) { say("This cell cannot be treated."); return; }
  else S.added.add(cell);
  S.gain = null;
  say("");
  refresh();
}
// The cells of a straight line, both ends included (Bresenham 1965).
function lineCells(from, to) {
  let x = from % cols, y = Math.floor(from / cols);
  const endX = to % cols, endY = Math.floor(to / cols), dx = Math.abs(endX - x), dy = -Math.abs(endY - y), sx = x < endX ? 1 : -1, sy = y < endY ? 1 : -1, found = [];
  for (let error = dx + dy; ;) {
    found.push(y * cols + x);
    if (x === endX && y === endY) return found;
    const twice = 2 * error;
    if (twice >= dy) { error += dy; x += sx; }
    if (twice <= dx) { error += dx; y += sy; }
  }
}
function placeLine(from, to) {
  const standing = new Set(breaks()), fresh = lineCells(from, to).filter((cell) => treatable[cell] && !standing.has(cell));
  if (!fresh.length) { say("This line has no cell that may be treated and has no break yet."); return; }
  const own = new Set(prefix());
  for (const cell of fresh) own.has(cell) ? S.removed.delete(cell) : S.added.add(cell);
  S.gain = null;
  const long = fresh.length * data.cell_size_m, words = `A line of ${many(fresh.length, "cell")} (about ${short(long)} m)`;
  refresh((was, now) => was ? `${words}: the expected loss falls by a further ${percent(now.reduction[0] - was.reduction[0], 2)} of the loss without breaks.` : words);
}
// Counts what has happened, for who waits for it.
function mark(name) { document.body.dataset[name] = Number(document.body.dataset[name] ?? 0) + 1; }

// ---- doing ---------------------------------------------------------------------------------
function show() { draw(); legend(); numbers(); fireWords(); chart(); readout(S.cursor); }
function step(to) { say(""); S.step = Math.max(0, Math.min(plan().cells.length, to)); S.gain = null; refresh(); }
function choose(k) { say(""); S.plan = k; S.step = plan().cells.length; S.added.clear(); S.removed.clear(); table(); refresh(); }
const tool = () => document.querySelector("[name=tool]:checked").value;
function click(cell) {
  if (cell < 0 || !live) return;
  tool() === "ignite" ? lightFire(cell) : toggle(cell);
}
function play(on) {
  const was = S.playing;
  S.playing = on && !!S.fire;
  if (!was && S.playing) { if (S.time >= S.fire.minutes) S.time = 0; let last = null;
    const next = (now) => {
      if (!S.playing || !S.fire) return;
      S.time = Math.min(S.fire.minutes, S.time + (last === null ? 0 : (now - last) / 6000 * S.fire.minutes)); last = now;
      if (S.time >= S.fire.minutes) S.playing = false;
      draw(); fireWords();
      if (S.playing) requestAnimationFrame(next);
    };
    requestAnimationFrame(next); }
  fireWords();
}
function putOut() { S.fire = null; S.playing = false; S.mark = -1; if (!live) $("which").value = ""; show(); }

// ---- looking -------------------------------------------------------------------------------
function spot(event) {
  const frame_ = canvas.getBoundingClientRect(), y = event.clientY - frame_.top - view.top, x = event.clientX - frame_.left;
  const side = view.panels.findIndex((edge_) => x >= edge_ && x < edge_ + view.wide);
  if (side < 0 || y < 0 || y >= view.high) return null;
  return spotAt(view.row + y / view.scale, view.col + (x - view.panels[side]) / view.scale, side);
}
// A place of the map, and where it lies on the canvas now.
function spotAt(row, col, side = 0) {
  return {row, col, side, x: view.panels[side] + (col - view.col) * view.scale, y: (row - view.row) * view.scale};
}
function cellAt(event) {
  const here = spot(event);
  if (!here) return -1;
  const row = Math.floor(here.row), col = Math.floor(here.col);
  return row >= 0 && row < rows && col >= 0 && col < cols ? row * cols + col : -1;
}
function zoom(factor, here) {
  const here_ = here ?? spotAt(view.row + view.high / view.scale / 2, view.col + view.wide / view.scale / 2);
  view.scale = Math.max(view.fit, Math.min(MOST_SCALE, view.scale * factor));
  view.whole = view.scale <= view.fit * 1.0001;
  layOut();  // the panels of a part are wider than those of the whole map
  view.row = here_.row - here_.y / view.scale; view.col = here_.col - (here_.x - view.panels[here_.side]) / view.scale;
  canvas.classList.toggle("zoomed", !view.whole);
  draw();
}
function moveBy(dx, dy) { view.col -= dx / view.scale; view.row -= dy / view.scale; draw(); }
function keepInView(cell) {
  const row = Math.floor(cell / cols), col = cell % cols, high = view.high / view.scale, wide = view.wide / view.scale;
  if (row < view.row || row >= view.row + high - 1) view.row = row - high / 2;
  if (col < view.col || col >= view.col + wide - 1) view.col = col - wide / 2;
}
let waiting = 0;
function hover(cell) {
  if (cell === S.cursor) return;
  S.cursor = cell; S.gain = null; draw(); readout(cell);
  clearTimeout(waiting);
  if (live && cell >= 0 && treatable[cell] && tool() === "break" && !breaks().includes(cell)) {
    waiting = setTimeout(() => ask("gain", {...where(), cell}, (answer) => { S.gain = answer; readout(S.cursor); }), 60);
  }
}
const CLICK_PX = 4, fingers = new Map();
let drag = null;
canvas.addEventListener("pointerdown", (event) => {
  fingers.set(event.pointerId, event);
  canvas.setPointerCapture(event.pointerId);
  if (fingers.size > 1) { drag = null; S.line = null; return; }
  const cell = cellAt(event);
  drag = {x: event.clientX, y: event.clientY, fromX: event.clientX, fromY: event.clientY, cell, moved: false,
          draws: live && tool() === "break" && cell >= 0 && !event.shiftKey && event.button === 0};
});
canvas.addEventListener("pointermove", (event) => {
  const old = fingers.get(event.pointerId);
  if (old && fingers.size === 2) { pinch(event, old); return; }
  hover(cellAt(event));
  if (!drag) return;
  drag.moved ||= Math.hypot(event.clientX - drag.fromX, event.clientY - drag.fromY) > CLICK_PX;
  if (!drag.moved) return;
  if (drag.draws) { const cell = cellAt(event); if (cell >= 0) { S.line = [drag.cell, cell]; draw(); } }
  else { moveBy(event.clientX - drag.x, event.clientY - drag.y); }
  drag.x = event.clientX; drag.y = event.clientY;
});
function pinch(event, old) {
  const other = [...fingers].find(([id]) => id !== event.pointerId)[1], span = (a) => Math.hypot(a.clientX - other.clientX, a.clientY - other.clientY);
  const here = spot({clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2});
  if (here && span(old) > 0) zoom(span(event) / span(old), here);
  moveBy((event.clientX - old.clientX) / 2, (event.clientY - old.clientY) / 2);
  fingers.set(event.pointerId, event);
}
function lift(event) {
  fingers.delete(event.pointerId);
  const done = drag, line = S.line;
  drag = null; S.line = null;
  if (!done || event.type === "pointercancel") { draw(); return; }
  if (!done.moved) click(done.cell);
  else if (line) placeLine(line[0], line[1]);
}
canvas.addEventListener("pointerup", lift);
canvas.addEventListener("pointercancel", lift);
canvas.addEventListener("pointerleave", () => hover(-1));
canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), spot(event)); }, {passive: false});
$("closer").addEventListener("click", () => zoom(1.6));
$("farther").addEventListener("click", () => zoom(1 / 1.6));
$("whole").addEventListener("click", () => zoom(0));
canvas.addEventListener("keydown", (event) => {
  const move = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[event.key], many_ = event.shiftKey ? 10 : 1;
  const cursorSpot = () => S.cursor < 0 ? undefined : spotAt(Math.floor(S.cursor / cols) + 0.5, S.cursor % cols + 0.5);
  if (move) {
    const from = S.cursor < 0 ? Math.floor(rows / 2) * cols + Math.floor(cols / 2) : S.cursor;
    const cell = Math.max(0, Math.min(rows - 1, Math.floor(from / cols) + many_ * move[0])) * cols + Math.max(0, Math.min(cols - 1, from % cols + many_ * move[1]));
    $("readout").setAttribute("aria-live", "polite");
    keepInView(cell); hover(cell);
  } else if (event.key === "Enter" && S.mark >= 0 && S.cursor >= 0) { const from = S.mark; S.mark = -1; placeLine(from, S.cursor); }
  else if (event.key === "Enter") click(S.cursor);
  else if ((event.key === "m" || event.key === "M") && live) { S.mark = S.mark === S.cursor ? -1 : S.cursor; say(S.mark < 0 ? "" : "A line begins here: move the cursor, then press Enter.", true); draw(); }
  else if (event.key === "+" || event.key === "=") zoom(1.6, cursorSpot());
  else if (event.key === "-") zoom(1 / 1.6, cursorSpot());
  else if (event.key === "0") zoom(0);
  else return;
  event.preventDefault(); event.stopPropagation();
});
document.addEventListener("keydown", (event) => {
  const {tagName, type, id} = event.target, inMap = id === "map" && event.key.startsWith("Arrow");
  if (event.ctrlKey || event.altKey || event.metaKey || inMap || id === "dial") return;
  if (tagName === "SELECT" || tagName === "SUMMARY" || type === "range") return;  // they have keys of their own
  if (tagName === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
  if ((type === "radio" || type === "checkbox") && (event.key === " " || event.key.startsWith("Arrow"))) return;
  const cells_ = event.shiftKey ? 10 : 1, names = Object.keys(LAYERS);
  const deed = {ArrowLeft: () => step(S.step - cells_), ArrowRight: () => step(S.step + cells_), Home: () => step(0), End: () => step(plan().cells.length),
    " ": () => play(!S.playing), Escape: putOut,
    l: () => setLayer(names[(names.indexOf(S.layer) + 1) % names.length]),
    f: () => setTool("ignite"), b: () => setTool("break")}[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (deed) { event.preventDefault(); deed(); }
});
function setTool(name) { if (live) document.querySelector(`[name=tool][value=${name}]`).checked = true; }
function setLayer(name) { if (!LAYERS[name]) return; S.layer = name; $("layer").value = name; if (name === "q" && live) refresh(); show(); }
$("step").addEventListener("input", (event) => step(Number(event.target.value)));
$("back").addEventListener("click", () => step(S.step - 1));
$("next").addEventListener("click", () => step(S.step + 1));
$("layer").addEventListener("change", (event) => setLayer(event.target.value));
$("relief").addEventListener("change", draw);
$("play").addEventListener("click", () => play(!S.playing));
$("clear").addEventListener("click", putOut);
$("time").addEventListener("input", (event) => { S.playing = false; S.time = Number(event.target.value) / 1000 * S.fire.minutes; draw(); fireWords(); });
$("undo").addEventListener("click", () => { say(""); S.added.clear(); S.removed.clear(); refresh(); });
$("save").addEventListener("click", () => {
  const lines = ["rank,row,col", ...breaks().map((cell, k) => `${k + 1},${Math.floor(cell / cols)},${cell % cols}`)];
  const link = document.createElement("a");
  link.href = `data:text/csv,${encodeURIComponent(`${lines.join("\n")}\n`)}`; link.download = "breaks.csv"; link.click();
});
window.addEventListener("resize", draw);
