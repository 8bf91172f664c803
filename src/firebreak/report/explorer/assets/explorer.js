"use strict";
// The explorer page. Live, it asks the server it came from; as a file, it shows what it holds.
(() => {
const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const live = data.live, rows = data.rows, cols = data.cols, size = rows * cols;
const canvas = $("map"), pen = canvas.getContext("2d");

// ---- numbers out of text -------------------------------------------------------------------
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
function grid(packed) {
  if (!packed) return null;
  const raw = bytes(packed.data), out = new Float32Array(size);
  for (let i = 0; i < size; i++) {
    const whole = raw[2 * i] + 256 * raw[2 * i + 1];
    out[i] = whole === 65535 ? NaN : packed.offset + packed.scale * whole;
  }
  return out;
}
const percent = (x, places = 1) => `${(100 * x).toFixed(places)} %`;
const signed = (x) => `${x > 0 ? "+" : x < 0 ? "−" : ""}${Math.abs(100 * x).toFixed(2)} %`;
const band = (e) => `${percent(e[0])} (${(100 * e[1]).toFixed(1)} to ${(100 * e[2]).toFixed(1)})`;
const short = (x) => Math.abs(x) >= 100 ? x.toFixed(0) : Math.abs(x) >= 1 ? x.toFixed(1) : x.toPrecision(2);

const fuel = bytes(data.fuel), burnable = bytes(data.burnable), treatable = bytes(data.treatable);
const light = bytes(data.light);
const fixed = {elevation: grid(data.elevation), value: grid(data.value), rate: grid(data.rate),
               flame: grid(data.flame)};
const before = unpackedState(data.untreated);

function unpackedState(answer) {
  return {...answer, burn: grid(answer.burn_probability), down: grid(answer.downstream_value),
          qmap: grid(answer.q)};
}

// ---- colours -------------------------------------------------------------------------------
const RAMPS = {
  heat: "ffffcc ffeda0 fed976 feb24c fd8d3c fc4e2a e31a1c bd0026 800026",
  sea: "ffffd9 edf8b1 c7e9b4 7fcdbb 41b6c4 1d91c0 225ea8 253494 081d58",
  leaf: "440154 482878 3e4a89 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
  change: "053061 2166ac 4393c3 92c5de d1e5f0 f7f7f7 fddbc7 f4a582 d6604d b2182b 67001f",
  earth: "f7fcf5 e5d8b0 c9a66b 8c6d46 543005"};
const FRONT = "fff3a0 ffd23f ff9f1c ff6b1a e63b12 b3200f 7d1a12".split(" ").map(rgb);
const BURNED = [74, 54, 48], BARE = [217, 221, 224], FRONT_SHARE = 0.2;
function rgb(hex) { return [0, 2, 4].map((k) => parseInt(hex.slice(k, k + 2), 16)); }
const tables = {};
for (const [name, text] of Object.entries(RAMPS)) {
  const stops = text.split(" ").map(rgb), table = new Uint8ClampedArray(768);
  for (let i = 0; i < 256; i++) {
    const at = i / 255 * (stops.length - 1), k = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; c++) table[3 * i + c] = stops[k][c] + (at - k) * (stops[k + 1][c] - stops[k][c]);
  }
  tables[name] = table;
}
const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];
const fuelColours = data.fuels.map((one) => rgb(one.colour.slice(1)));

// ---- what is shown -------------------------------------------------------------------------
let plans = data.plans, pending = data.pending;
const S = {plan: 0, step: plans[0].cells.length, added: new Set(), removed: new Set(), layer: "fuel",
           now: null, fire: null, time: 0, playing: false, cursor: -1, gain: null, wind: {...data.wind},
           asked: 0, told: null};
const LAYERS = {
  fuel: {name: "fuels"},
  burn: {name: "burn probability", ramp: "heat", words: "share of the fires that burn the cell", show: (x) => percent(x), of: () => S.now && S.now.burn, like: () => before.burn},
  saved: {name: "change of burn probability", ramp: "change", both: true, words: "with the breaks minus without", show: signed, of: () => S.now && S.now.burn.map((x, i) => x - before.burn[i])},
  down: {name: "downstream value", ramp: "sea", words: "value burned behind the cell, mean over fires", show: short, of: () => S.now && S.now.down},
  q: {name: "Q-map: what the policy expects", ramp: "leaf", words: "expected loss reduction by the next break, or per cell of the best line through the cell, in percent of the untreated loss", show: (x) => `${x.toFixed(2)} %`, of: () => S.now && S.now.qmap},
  value: {name: "value", ramp: "earth", words: "what is lost where the cell burns", show: short, of: () => fixed.value},
  rate: {name: "rate of spread", ramp: "heat", words: "metres per minute at the head, mean over weather", show: short, of: () => fixed.rate},
  flame: {name: "flame length", ramp: "heat", words: "metres at the head, mean over weather", show: short, of: () => fixed.flame},
  height: {name: "elevation", ramp: "earth", words: "metres", show: (x) => x.toFixed(0), of: () => fixed.elevation}};
if (!data.has_q_map) delete LAYERS.q;

const plan = () => plans[S.plan];
const prefix = () => plan().cells.slice(0, S.step);
function breaks() {
  const own = prefix(), inside = new Set(own);
  return [...own.filter((cell) => !S.removed.has(cell)), ...[...S.added].filter((cell) => !inside.has(cell))];
}
function edits() {
  const inside = new Set(prefix());
  return {add: [...S.added].filter((c) => !inside.has(c)), remove: [...S.removed].filter((c) => inside.has(c))};
}
const isEdited = () => { const e = edits(); return e.add.length + e.remove.length > 0; };

// ---- drawing -------------------------------------------------------------------------------
const cells = document.createElement("canvas");
cells.width = cols; cells.height = rows;
const cellPen = cells.getContext("2d");
let view = {scale: 1, panels: []};

function range(values, layer) {
  const known = Array.from(values).filter((x, i) => Number.isFinite(x) && burnable[i]).sort((a, b) => a - b);
  if (!known.length) return [0, 1];
  if (layer.both) {
    const most = Math.max(Math.abs(known[Math.floor(0.005 * known.length)]), Math.abs(known[Math.ceil(0.995 * known.length) - 1]), 1e-3);
    return [-most, most];
  }
  const low = layer === LAYERS.q || layer === LAYERS.height ? known[0] : 0;
  return [low, Math.max(known[Math.ceil(0.998 * known.length) - 1], low + 1e-9)];
}
let kept = {};  // ranges of a layer cost a sort
function paint(layerName, faded, fire, time) {
  const layer = LAYERS[layerName], values = layer.of ? layer.of() : null;
  const image = cellPen.createImageData(cols, rows), out = image.data;
  const shade = $("relief").checked;
  let low = 0, high = 1;
  if (values) {
    if (kept.name !== layerName || kept.state !== S.now) {
      kept = {name: layerName, state: S.now, range: range(layer.like ? layer.like() : values, layer)};
    }
    [low, high] = kept.range;
  }
  const table = layer.ramp ? tables[layer.ramp] : null;
  for (let i = 0; i < size; i++) {
    let colour;
    if (!values) colour = fuel[i] === 255 ? [255, 255, 255] : fuelColours[fuel[i]];
    else if (!Number.isFinite(values[i]) || (!burnable[i] && layerName !== "height")) colour = BARE;
    else {
      const k = 3 * Math.max(0, Math.min(255, Math.round(255 * (values[i] - low) / (high - low))));
      colour = [table[k], table[k + 1], table[k + 2]];
    }
    let bright = shade && fuel[i] !== 255 ? Math.min(1.1, 0.5 + 0.5 * light[i] / 128) : 1;
    let [r, g, b] = colour;
    if (faded) { const grey = (r + g + b) / 3; [r, g, b] = [r, g, b].map((x) => 0.275 * (x + grey) + 115); }
    if (fire && fire[i] <= time) {
      const age = Math.floor((time - fire[i]) / (FRONT_SHARE * S.fire.minutes) * FRONT.length);
      [r, g, b] = age < FRONT.length ? FRONT[age] : BURNED; bright = 1;
    }
    out[4 * i] = r * bright; out[4 * i + 1] = g * bright; out[4 * i + 2] = b * bright; out[4 * i + 3] = 255;
  }
  cellPen.putImageData(image, 0, 0);
}

function draw() {
  const wide = canvas.clientWidth, ratio = window.devicePixelRatio || 1;
  const sides = S.fire ? 2 : 1, gap = 10, top = S.fire ? 24 : 0, foot = 26;
  const most = Math.max(280, 0.72 * window.innerHeight);
  const scale = Math.min((wide - (sides - 1) * gap) / sides / cols, most / rows);
  const height = Math.round(rows * scale + top + foot);
  canvas.style.height = `${height}px`;
  if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(wide * ratio); canvas.height = Math.round(height * ratio);
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, wide, height);
  const left = (wide - sides * cols * scale - (sides - 1) * gap) / 2;
  view = {scale, top, panels: []};
  for (let side = 0; side < sides; side++) {
    const x = left + side * (cols * scale + gap), treated = !S.fire || side === 1;
    view.panels.push(x);
    paint(S.layer, !!S.fire, S.fire && (treated ? S.fire.treated : S.fire.without), S.time);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(cells, x, top, cols * scale, rows * scale);
    if (S.layer === "q" && !S.fire) hatch(x, top, scale);
    if (treated) drawBreaks(x, top, scale);
    if (S.fire) {
      ring(x, top, scale, S.fire.cell, "#00e5ff");
      pen.fillStyle = "#222"; pen.font = "600 14px system-ui, sans-serif"; pen.textBaseline = "top"; pen.textAlign = "left";
      const burned = count(treated ? S.fire.treated : S.fire.without, S.time);
      const many = breaks().length, narrow = cols * scale < 300;
      const title = narrow ? (treated ? `${many} breaks` : "no breaks") : treated ? `With ${many} break cells` : "Without breaks";
      pen.fillText(`${title}: ${burned}${narrow ? " burned" : burned === 1 ? " cell burned" : " cells burned"}`, x, 3, cols * scale);
    }
    if (S.cursor >= 0) box(x, top, scale, S.cursor);
  }
  measures(left, top + rows * scale + 8, scale, left + cols * scale);
}
function count(times, until) { let n = 0; for (let i = 0; i < size; i++) if (times[i] <= until) n++; return n; }
function drawBreaks(x, y, scale) {
  const own = new Set(prefix());
  for (const cell of own) if (!S.removed.has(cell)) block(x, y, scale, cell, "#000");
  for (const cell of S.added) if (!own.has(cell)) block(x, y, scale, cell, "#7a00a8");
  for (const cell of S.removed) if (own.has(cell)) block(x, y, scale, cell, null);
  if (S.step && S.step < plan().cells.length && !S.fire) box(x, y, scale, plan().cells[S.step - 1]);
}
function block(x, y, scale, cell, colour) {
  const left = x + (cell % cols) * scale, top = y + Math.floor(cell / cols) * scale;
  if (colour) { pen.fillStyle = colour; pen.fillRect(left, top, scale, scale); }
  if (scale >= 5) { pen.strokeStyle = colour ? "#fff" : "#7a00a8"; pen.lineWidth = colour ? 0.8 : 2; pen.strokeRect(left + 0.5, top + 0.5, scale - 1, scale - 1); }
}
function box(x, y, scale, cell) {
  const left = x + (cell % cols) * scale, top = y + Math.floor(cell / cols) * scale;
  for (const [colour, wide] of [["#fff", 4], ["#d0006f", 2]]) {
    pen.strokeStyle = colour; pen.lineWidth = wide; pen.strokeRect(left - 1, top - 1, scale + 2, scale + 2);
  }
}
function ring(x, y, scale, cell, colour) {
  for (const [paintIt, wide] of [["#000", 5], [colour, 2.5]]) {
    pen.beginPath(); pen.strokeStyle = paintIt; pen.lineWidth = wide;
    pen.arc(x + (cell % cols + 0.5) * scale, y + (Math.floor(cell / cols) + 0.5) * scale, Math.max(6, 0.8 * scale), 0, 7);
    pen.stroke();
  }
}
function hatch(x, y, scale) {
  const values = S.now && S.now.qmap;
  pen.strokeStyle = "#9aa3a9"; pen.lineWidth = 0.7; pen.beginPath();
  for (let i = 0; i < size; i++) {
    if (values && Number.isFinite(values[i])) continue;
    const left = x + (i % cols) * scale, top = y + Math.floor(i / cols) * scale;
    pen.moveTo(left, top + scale); pen.lineTo(left + scale, top);
  }
  pen.stroke();
}
function measures(x, y, scale, right) {
  const width = cols * data.cell_size_m, power = 10 ** Math.floor(Math.log10(0.3 * width));
  const metres = Math.max(...[1, 2, 5].map((k) => k * power).filter((m) => m <= 0.3 * width));
  const long = metres / data.cell_size_m * scale;
  pen.strokeStyle = pen.fillStyle = "#222"; pen.lineWidth = 2; pen.textBaseline = "middle"; pen.textAlign = "left";
  pen.beginPath(); pen.moveTo(x, y); pen.lineTo(x + long, y); pen.moveTo(x, y - 4); pen.lineTo(x, y + 4); pen.moveTo(x + long, y - 4); pen.lineTo(x + long, y + 4); pen.stroke();
  pen.font = "13px system-ui, sans-serif";
  pen.fillText(metres >= 1000 ? `${metres / 1000} km` : `${metres} m`, x + long + 8, y);
  pen.textAlign = "right"; pen.font = "600 15px system-ui, sans-serif"; pen.fillText("↑ N", right, y);
}

function legend() {
  const at = $("legend"), layer = LAYERS[S.layer];
  at.textContent = "";
  const say = (tag, text, style) => { const e = document.createElement(tag); e.textContent = text; if (style) e.style.cssText = style; at.append(e); return e; };
  if (!layer.ramp) {
    for (const one of data.fuels.slice(0, 14)) {
      const entry = say("span", ""), swatch = document.createElement("i");
      const dark = rgb(one.colour.slice(1)).reduce((sum, c, k) => sum + c * [0.299, 0.587, 0.114][k], 0) < 128;
      swatch.textContent = one.code; swatch.style.cssText = `background:${one.colour};color:${dark ? "#fff" : "#222"}`;
      entry.append(swatch, `${one.name} ${percent(one.share, 0)}`);
    }
    if (data.fuels.length > 14) say("span", `and ${data.fuels.length - 14} others`);
    return;
  }
  if (S.layer === "q" && S.now && S.now.qmap && !S.now.qmap.some(Number.isFinite)) { say("span", "The budget is spent: there is no next break. Step back to see what the policy expected."); return; }
  const [low, high] = kept.name === S.layer ? kept.range : [0, 1];
  const stops = RAMPS[layer.ramp].split(" ").map((hex) => `#${hex}`).join(",");
  say("span", layer.show(low)); const ramp = say("span", ""); ramp.className = "ramp"; ramp.style.background = `linear-gradient(90deg,${stops})`;
  say("span", layer.show(high)); say("span", `${layer.words}${S.layer === "q" ? "; hatched: no break may be placed" : ""}`);
}

// ---- words ---------------------------------------------------------------------------------
function numbers() {
  const now = S.now;
  $("order").textContent = `The plan, in ${plan().build_order.length ? "build order" : "the order of placement"}`;
  $("step").max = plan().cells.length; $("step").value = S.step;
  $("count").textContent = `${breaks().length} of ${plan().cells.length} cells`;
  $("reduction").textContent = now ? band(now.reduction) : "…";
  $("outside").textContent = now && now.outside !== null ? percent(now.outside) : "depends on flame length";
  $("cvar").textContent = now ? percent(now.cvar90) : "…";
  const change = $("change");
  change.className = "";
  if (!isEdited()) change.textContent = "none";
  else if (!now || !now.change) change.textContent = "…";
  else {
    change.textContent = `expected loss ${signed(now.change[0])} (${signed(now.change[1])} to ${signed(now.change[2])})`;
    change.className = now.change[2] < 0 ? "better" : now.change[1] > 0 ? "worse" : "";
  }
  $("undo").disabled = !isEdited();
  const held = !live && now && now.step !== S.step ? ` Numbers and layers are those of step ${now.step}: this file holds only some steps.` : "";
  $("note").textContent = `From ${data.fires.explore} fires that no method was given; 95 % intervals over fires. Test a plan that you tuned on these numbers on other fires, with firebreak evaluate --plan.${held}`;
}
function table() {
  const body = $("plans").tBodies[0];
  body.textContent = "";
  plans.forEach((one, k) => {
    const row = body.insertRow(), last = one.curve[one.curve.length - 1];
    row.className = k === S.plan ? "chosen" : "";
    const label = document.createElement("label"), radio = document.createElement("input"), dash = document.createElement("i");
    radio.type = "radio"; radio.name = "plan"; radio.value = one.name; radio.checked = k === S.plan;
    radio.addEventListener("change", () => choose(k));
    dash.style.background = PALETTE[k % 4];
    label.append(radio, " ", dash, one.name);
    row.insertCell().append(label);
    row.insertCell().textContent = one.cells.length;
    row.insertCell().textContent = band(last.slice(1));
  });
  for (const name of pending) { const row = body.insertRow(); row.insertCell().textContent = name; row.insertCell(); row.insertCell().textContent = "being made…"; }
  chart();
}
// Up to six round numbers around what is shown, at least `least` apart, and the decimals that tell
// them apart in percent.
function ticks(low, high, least) {
  const rough = Math.max((high - low) / 5, least), power = 10 ** Math.floor(Math.log10(rough));
  const gap = Math.max([1, 2, 5, 10].map((k) => k * power).find((size) => size >= rough * (1 - 1e-9)), least);
  const first = Math.floor(low / gap + 1e-9), last = Math.ceil(high / gap - 1e-9), at = [];
  for (let k = first; k <= last; k++) at.push(Number((k * gap).toPrecision(12)));
  return {at, start: at[0], end: at[at.length - 1], decimals: Math.max(0, -Math.floor(Math.log10(100 * gap) + 1e-9))};
}
function chart() {
  const W = 384, H = 176, L = 40, B = 30, T = 8, R = 12;
  const shown = [...plans.flatMap((p) => p.curve.flatMap((c) => c.slice(1))), ...(S.now ? [S.now.reduction[0]] : [])];
  const across = ticks(0, Math.max(1, ...plans.map((p) => p.cells.length), breaks().length), 1);
  const up = ticks(Math.min(0, ...shown), Math.max(0.001, ...shown), 0);
  const most = across.end, low = up.start, best = up.end;
  const x = (n) => L + (W - L - R) * n / most, y = (v) => H - B - (H - B - T) * (v - low) / (best - low);
  let inside = "";
  for (const v of up.at) inside += `<line x1="${L}" x2="${W - R}" y1="${y(v)}" y2="${y(v)}" stroke="#e3e6e8"/><text x="${L - 4}" y="${y(v) + 3}" text-anchor="end">${percent(v, up.decimals)}</text>`;
  for (const n of across.at) inside += `<text x="${x(n)}" y="${H - 17}" text-anchor="middle">${n}</text>`;
  plans.forEach((p, k) => {
    const above = p.curve.map((c) => `${x(c[0])},${y(c[3])}`), below = p.curve.map((c) => `${x(c[0])},${y(c[2])}`).reverse();
    if (k === S.plan) inside += `<polygon points="${[...above, ...below].join(" ")}" fill="${PALETTE[k % 4]}" opacity=".15"/>`;
    inside += `<polyline points="${p.curve.map((c) => `${x(c[0])},${y(c[1])}`).join(" ")}" fill="none" stroke="${PALETTE[k % 4]}" stroke-width="2"${k ? ` stroke-dasharray="${k === 1 ? "6 3" : "2 3"}"` : ""}/>`;
  });
  if (S.now) inside += `<circle cx="${x(breaks().length)}" cy="${y(S.now.reduction[0])}" r="4" fill="none" stroke="#222" stroke-width="2"/>`;
  $("chart").innerHTML = `<svg viewBox="0 0 ${W} ${H}" role="img" aria-label="How far the expected loss falls, by break cells placed, for each plan; the circle is what the map shows">${inside}<text x="${(W + L) / 2}" y="${H - 4}" text-anchor="middle">break cells; the circle is what the map shows</text></svg>`;
}
function readout(cell) {
  if (cell < 0) { $("readout").textContent = "\u00a0"; return; }
  const one = fuel[cell] === 255 ? null : data.fuels[fuel[cell]], say = [`row ${Math.floor(cell / cols)}, column ${cell % cols}`];
  say.push(one ? `${one.name} (${one.code})` : "no data");
  if (Number.isFinite(fixed.elevation[cell])) say.push(`${fixed.elevation[cell].toFixed(0)} m`);
  if (burnable[cell]) {
    say.push(`${short(fixed.rate[cell])} m/min, flames ${short(fixed.flame[cell])} m`, `value ${short(fixed.value[cell])}`);
    if (S.now) say.push(`burns in ${percent(S.now.burn[cell])} of fires (${percent(before.burn[cell])} without breaks)`, `downstream ${short(S.now.down[cell])}`);
    if (S.now && S.now.qmap && Number.isFinite(S.now.qmap[cell])) say.push(`Q ${S.now.qmap[cell].toFixed(2)} %`);
    if (!treatable[cell]) say.push("not treatable");
  } else say.push("does not burn");
  const at = plan().cells.indexOf(cell);
  if (at >= 0) say.push(plan().build_order.length ? `segment with build order ${plan().build_order[at]}` : `break ${at + 1} of the plan`);
  if (S.fire) say.push(`fire ${when(S.fire.without[cell])} without, ${when(S.fire.treated[cell])} with breaks`);
  if (S.gain && S.gain.cell === cell && !breaks().includes(cell)) say.push(`a break here reduces the loss by a further ${percent(S.gain.saves, 2)}`);
  $("readout").textContent = say.join(" · ");
}
const when = (minutes) => Number.isFinite(minutes) ? `after ${minutes.toFixed(0)} min` : "never";
function fireWords() {
  const f = S.fire;
  $("play").disabled = $("time").disabled = $("clear").disabled = !f;
  $("play").textContent = S.playing ? "❚❚ pause" : "▶ play";
  if (!f) { $("clock").textContent = "no fire yet"; $("fire").textContent = live ? "Click into the map to light a fire; drag the arrow to turn the wind." : "Choose a fire to play."; return; }
  $("time").value = Math.round(1000 * S.time / f.minutes);
  $("clock").textContent = `${S.time.toFixed(0)} of ${f.minutes.toFixed(0)} min`;
  const less = f.loss_without > 0 ? 1 - f.loss_treated / f.loss_without : 0;
  $("fire").textContent = `This fire, wind ${f.wind_km_h.toFixed(0)} km/h from ${f.wind_from_deg.toFixed(0)}°, fine fuel at ${percent(f.dead_moisture)}: ${count(f.without, f.minutes)} cells without breaks, ${count(f.treated, f.minutes)} with them; loss ${percent(less)} smaller.`;
}
function say(text) { $("message").textContent = text; }

// ---- asking --------------------------------------------------------------------------------
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
      say("");
      if (!own.next) then(answer);
    } catch { say("The explorer does not answer: is 'firebreak visualize --serve' still running?"); }
  }
  own.busy = false;
}
function where() {
  const e = edits();
  return {plan: plan().name, step: S.step, add: e.add.join(","), remove: e.remove.join(",")};
}
function refresh() {
  if (!live && S.fire) { S.fire = null; S.playing = false; $("which").value = ""; }
  if (live) {
    ask("state", {...where(), q: S.layer === "q" ? 1 : 0}, (answer) => { S.now = unpackedState(answer); show(); mark("state"); });
  } else {
    const held = data.states[plan().name].filter((state) => state.step <= S.step);
    S.now = cache(held[held.length - 1]);
  }
  show();
  if (S.fire && live) lightAgain();
}
const unpackedStates = new Map();
function cache(answer) {
  if (!unpackedStates.has(answer)) unpackedStates.set(answer, unpackedState(answer));
  return unpackedStates.get(answer);
}
function lightFire(cell) {
  if (!burnable[cell]) { say("This cell cannot burn: choose another cell."); return; }
  ask("fire", {...where(), cell, ...S.wind, minutes: minutes()}, (answer) => {
    const fresh = !S.fire || S.fire.cell !== answer.cell, share = S.fire ? S.time / S.fire.minutes : 1;
    S.fire = {...answer, without: grid(answer.without), treated: grid(answer.treated)};
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
  refresh();
}
const marks = {};
function mark(name) { marks[name] = (marks[name] ?? 0) + 1; document.body.dataset[name] = marks[name]; }

// ---- doing ---------------------------------------------------------------------------------
function show() { draw(); legend(); numbers(); fireWords(); chart(); readout(S.cursor); }
function step(to) { S.step = Math.max(0, Math.min(plan().cells.length, to)); S.gain = null; refresh(); }
function choose(k) { S.plan = k; S.step = plan().cells.length; S.added.clear(); S.removed.clear(); table(); refresh(); }
function click(cell) {
  if (cell < 0 || !live) return;
  document.querySelector("[name=tool]:checked").value === "ignite" ? lightFire(cell) : toggle(cell);
}
function play(on) {
  const was = S.playing;
  S.playing = on && !!S.fire;
  if (!was && S.playing) { if (S.time >= S.fire.minutes) S.time = 0; let last = null;
    const frame = (now) => {
      if (!S.playing || !S.fire) return;
      S.time = Math.min(S.fire.minutes, S.time + (last === null ? 0 : (now - last) / 6000 * S.fire.minutes)); last = now;
      if (S.time >= S.fire.minutes) S.playing = false;
      draw(); fireWords();
      if (S.playing) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame); }
  fireWords();
}
function putOut() { S.fire = null; S.playing = false; if (!live) $("which").value = ""; show(); }
function cellAt(event) {
  const box = canvas.getBoundingClientRect(), y = event.clientY - box.top - view.top;
  for (const left of view.panels) {
    const col = Math.floor((event.clientX - box.left - left) / view.scale), row = Math.floor(y / view.scale);
    if (col >= 0 && col < cols && row >= 0 && row < rows) return row * cols + col;
  }
  return -1;
}
let waiting = 0;
function hover(cell) {
  if (cell === S.cursor) return;
  S.cursor = cell; S.gain = null; draw(); readout(cell);
  clearTimeout(waiting);
  if (live && cell >= 0 && treatable[cell] && document.querySelector("[name=tool]:checked").value === "break" && !breaks().includes(cell)) {
    waiting = setTimeout(() => ask("gain", {...where(), cell}, (answer) => { S.gain = answer; readout(S.cursor); }), 60);
  }
}
canvas.addEventListener("pointermove", (event) => hover(cellAt(event)));
canvas.addEventListener("pointerleave", () => hover(-1));
canvas.addEventListener("click", (event) => click(cellAt(event)));
canvas.addEventListener("keydown", (event) => {
  const move = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[event.key];
  if (move) {
    const at = S.cursor < 0 ? Math.floor(rows / 2) * cols + Math.floor(cols / 2) : S.cursor;
    hover(Math.max(0, Math.min(rows - 1, Math.floor(at / cols) + move[0])) * cols + Math.max(0, Math.min(cols - 1, at % cols + move[1])));
  } else if (event.key === "Enter") click(S.cursor);
  else return;
  event.preventDefault(); event.stopPropagation();
});
document.addEventListener("keydown", (event) => {
  const {tagName, type, id} = event.target, inMap = id === "map" && event.key.startsWith("Arrow");
  if (event.ctrlKey || event.altKey || event.metaKey || inMap || id === "dial") return;
  if (tagName === "SELECT" || tagName === "SUMMARY" || type === "range") return;  // they have keys of their own
  if (tagName === "BUTTON" && event.key === " ") return;
  if ((type === "radio" || type === "checkbox") && (event.key === " " || event.key.startsWith("Arrow"))) return;
  const many = event.shiftKey ? 10 : 1, names = Object.keys(LAYERS);
  const deed = {ArrowLeft: () => step(S.step - many), ArrowRight: () => step(S.step + many), Home: () => step(0), End: () => step(plan().cells.length),
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
$("undo").addEventListener("click", () => { S.added.clear(); S.removed.clear(); refresh(); });
$("save").addEventListener("click", () => {
  const lines = ["rank,row,col", ...breaks().map((cell, k) => `${k + 1},${Math.floor(cell / cols)},${cell % cols}`)];
  const link = document.createElement("a");
  link.href = `data:text/csv,${encodeURIComponent(`${lines.join("\n")}\n`)}`; link.download = "breaks.csv"; link.click();
});
window.addEventListener("resize", draw);

// ---- the wind ------------------------------------------------------------------------------
const MOST_WIND = 80;
function drawWind() {
  const w = S.wind, angle = (w.wind_from_deg + 180) * Math.PI / 180, long = Math.max(8, 52 * Math.sqrt(Math.min(1, w.wind_km_h / MOST_WIND)));
  const x = long * Math.sin(angle), y = -long * Math.cos(angle), px = -y / long * 6, py = x / long * 6, bx = x * (1 - 11 / long), by = y * (1 - 11 / long);
  $("shaft").setAttribute("x2", bx); $("shaft").setAttribute("y2", by);
  $("head").setAttribute("points", `${x},${y} ${bx + px},${by + py} ${bx - px},${by - py}`);
  $("windwords").textContent = `${w.wind_km_h.toFixed(0)} km/h from ${w.wind_from_deg.toFixed(0)}°`;
  $("dial").setAttribute("aria-valuenow", w.wind_from_deg.toFixed(0)); $("dial").setAttribute("aria-valuetext", $("windwords").textContent);
  $("moist").textContent = percent(w.dead_moisture); $("lasts").textContent = `${minutes().toFixed(0)} min`;
}
function blow(speed, from) {
  S.wind.wind_km_h = Math.round(10 * Math.max(0, Math.min(MOST_WIND, speed))) / 10;
  S.wind.wind_from_deg = Math.round(((from % 360) + 360) % 360) % 360;
  drawWind();
  if (S.fire) lightAgain();
}
function drag(event) {
  const box = $("dial").getBoundingClientRect(), half = box.width / 2;
  const x = (event.clientX - box.left - half) / half * 60, y = (event.clientY - box.top - half) / half * 60;
  blow((Math.hypot(x, y) / 52) ** 2 * MOST_WIND, Math.atan2(x, -y) * 180 / Math.PI + 180);
}
$("dial").addEventListener("pointerdown", (event) => { $("dial").setPointerCapture(event.pointerId); drag(event); });
$("dial").addEventListener("pointermove", (event) => { if (event.buttons) drag(event); });
$("dial").addEventListener("keydown", (event) => {
  const turn = {ArrowLeft: [0, -5], ArrowRight: [0, 5], ArrowUp: [2, 0], ArrowDown: [-2, 0]}[event.key];
  if (turn) { event.preventDefault(); blow(S.wind.wind_km_h + turn[0], S.wind.wind_from_deg + turn[1]); }
});
$("moisture").addEventListener("input", (event) => { S.wind.dead_moisture = Number(event.target.value) / 100; drawWind(); if (S.fire) lightAgain(); });
$("minutes").addEventListener("input", () => { drawWind(); if (S.fire) lightAgain(); });

// ---- beginning -----------------------------------------------------------------------------
document.body.className = live ? "live" : "static";
document.title = `firebreak: ${data.name}`;
$("name").textContent = data.name;
$("breaks").textContent = data.breaks;
$("caption").textContent = `${data.place} · ${data.caption} · firebreak ${data.version}`;
$("limits").textContent = `Fires burn on the engine of firebreak ${data.version}, with breaks as set for this plan. ${data.fires_end} The fire that you light burns in constant wind. A research tool: not for operations without an analyst who knows the area.`;
for (const [name, layer] of Object.entries(LAYERS)) $("layer").add(new Option(layer.name, name));
$("moisture").value = 100 * S.wind.dead_moisture;
if (!live) {
  $("player").querySelector("#played").hidden = false;
  document.querySelector("#stage .bar label").hidden = document.querySelector("#stage .bar label + label").hidden = true;
  $("which").add(new Option("none", ""));
  data.played.forEach((one, k) => $("which").add(new Option(`${k + 1}: wind ${one.wind_km_h.toFixed(0)} km/h from ${one.wind_from_deg.toFixed(0)}°`, k)));
  $("which").addEventListener("change", (event) => {
    if (event.target.value === "") { putOut(); return; }
    const one = data.played[Number(event.target.value)];
    choose(0); event.target.value = data.played.indexOf(one); S.fire = {...one, without: grid(one.without), treated: grid(one.treated)}; S.time = 0; play(true); show();
  });
}
async function others() {
  document.body.dataset.pending = pending.length;
  while (live && pending.length) {
    await new Promise((go) => setTimeout(go, 400));
    await ask("plans", {}, (answer) => {
      if (answer.plans.length !== plans.length || answer.pending.length !== pending.length) { plans = answer.plans; pending = answer.pending; table(); }
    });
    document.body.dataset.pending = pending.length;
  }
}
drawWind(); table(); refresh(); others();
document.body.dataset.ready = "1";
})();
