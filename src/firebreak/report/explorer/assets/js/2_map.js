// The map: a picture that is painted when its layer changes, moved and scaled; the fire and the cursor on top.
const canvas = $("map"), pen = canvas.getContext("2d");
const MOST_SCALE = 48, GAP = 10, FOOT = 26;
const view = {scale: 0, row: 0, col: 0, panels: [], top: 0, wide: 0, high: 0, whole: true};
const pictures = new Map();  // of the map with and without what lies on its layer, and what each shows
let paintedAs = "", theme = {};
const frames = canvas.frames = [];  // milliseconds of the last frames, for who measures

function readTheme() {
  const of = getComputedStyle(document.documentElement);
  theme = {ink: of.getPropertyValue("--ink").trim(), paper: of.getPropertyValue("--paper").trim()};
}
readTheme();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readTheme(); show(); });

const shades = Uint16Array.from({length: 256}, (_, k) => Math.min(281, 128 + k));  // of 256; level ground is 128
let colours = new Uint8Array(3 * 65536);
let stateNumber = 0, marksNumber = 0;
function prepareColours() {
  const layer = LAYERS[S.layer], pale = !!S.fire;
  const wanted = [S.layer, pale, stateNumber, $("relief").checked].join();
  if (wanted === paintedAs) return;
  paintedAs = wanted;
  if (!layer.ramp) {
    for (let k = 0; k < 255; k++) { const c = faded(fuelColours[k] ?? [255, 255, 255], pale); for (let j = 0; j < 3; j++) colours[3 * k + j] = c[j]; }
    return;
  }
  const g = layer.of();
  if (!g) return;
  const [low, high] = shownRange(), table = Array.from({length: 256}, (_, k) => faded(rampAt(layer.ramp, k / 255), pale));
  for (let k = 0; k < NONE; k++) {
    const c = table[Math.max(0, Math.min(255, Math.round(255 * (g.offset + g.scale * k - low) / (high - low))))];
    colours[3 * k] = c[0]; colours[3 * k + 1] = c[1]; colours[3 * k + 2] = c[2];
  }
}
// A pixel for each cell; `marked` with what lies on the layer.
function paint(picture, marked) {
  const picturePen = picture.getContext("2d"), image = picturePen.createImageData(cols, rows), out = image.data;
  const layer = LAYERS[S.layer], g = layer.of ? layer.of() : null, shade = $("relief").checked, pale = !!S.fire;
  const everywhere = S.layer === "height", bare = faded(BARE, pale), hatch = faded(HATCH, pale), hatched = S.layer === "q" && !pale;
  for (let row = 0, i = 0, o = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++, i++, o += 4) {
      const kind = marked ? lying[i] : 0, f = shade && fuel[i] !== 255 ? shades[light[i]] : 256;
      out[o + 3] = 255;
      if (kind) { const c = MARKS[kind].colour; out[o] = c[0]; out[o + 1] = c[1]; out[o + 2] = c[2]; continue; }
      let r, b, n, k;
      if (layer.ramp && (!g || g.raw[i] === NONE || (!burnable[i] && !everywhere))) {
        [r, n, b] = hatched && !((row + col) & 3) ? hatch : bare;
      } else { k = 3 * (layer.ramp ? g.raw[i] : fuel[i]); r = colours[k]; n = colours[k + 1]; b = colours[k + 2]; if (!layer.ramp && fuel[i] === 255) r = n = b = 255; }
      out[o] = (r * f) >> 8; out[o + 1] = (n * f) >> 8; out[o + 2] = (b * f) >> 8;
    }
  }
  picturePen.putImageData(image, 0, 0);
}
function newPicture() {
  const made = document.createElement("canvas");
  made.width = cols; made.height = rows;
  return made;
}
function pictureOf(marked) {
  const shows = marked ? `${paintedAs}/${marksNumber}` : paintedAs, held = pictures.get(marked) ?? {picture: newPicture()};
  if (held.shows !== shows) paint(held.picture, marked);
  pictures.set(marked, {picture: held.picture, shows});
  return held.picture;
}

// ---- a frame -------------------------------------------------------------------------------
let due = false;
function draw() { if (!due) { due = true; document.body.dataset.drawn = ""; requestAnimationFrame(frame); } }
function frame() {
  due = false;
  const began = performance.now();
  drawFrame();
  frames.push(performance.now() - began);
  if (frames.length > 600) frames.shift();
  document.body.dataset.drawn = "1";
}
function layOut() {
  // A page that is being laid out or hidden has no width for a moment.
  const wide = Math.max(canvas.clientWidth, 4 * GAP), ratio = window.devicePixelRatio || 1, sides = S.fire ? 2 : 1, top = S.fire ? 24 : 0;
  const panel = (wide - (sides - 1) * GAP) / sides, most = Math.max(280, 0.72 * window.innerHeight);
  const fit = Math.min(panel / cols, most / rows), high = Math.round(Math.min(most, panel / cols * rows));
  const height = high + top + FOOT;
  canvas.style.height = `${height}px`;
  if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(wide * ratio); canvas.height = Math.round(height * ratio);
  }
  const span = view.whole ? Math.round(Math.min(panel, fit * cols)) : Math.floor(panel);
  Object.assign(view, {top, high, wide: span, fit, panels: Array.from({length: sides}, (_, k) => Math.round((wide - sides * span - (sides - 1) * GAP) / 2 + k * (span + GAP)))});
  if (view.whole) { view.scale = fit; view.row = view.col = 0; }
  view.scale = Math.max(fit, Math.min(MOST_SCALE, view.scale));
  const clamp = (x, room, count) => room >= count ? (count - room) / 2 : Math.max(0, Math.min(count - room, x));
  view.col = clamp(view.col, view.wide / view.scale, cols); view.row = clamp(view.row, view.high / view.scale, rows);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = theme.paper; pen.fillRect(0, 0, wide, height);
  return ratio;
}
function drawFrame() {
  const ratio = layOut();
  prepareColours();
  view.panels.forEach((x, side) => {
    const marked = !S.fire || side === 1;
    pen.save(); pen.beginPath(); pen.rect(x, view.top, view.wide, view.high); pen.clip();
    drawPicture(pictureOf(marked), x, ratio);
    if (S.fire) drawPicture(fireOf(marked), x, ratio);
    if (marked && view.scale >= 5) drawRims(x);
    drawPointers(x, marked);
    pen.restore();
    if (S.fire) title(x, marked);
  });
  measures(view.panels[0], view.top + view.high + 8, view.panels[view.panels.length - 1] + view.wide);
}
function cellToX(x, col) { return Math.round(x + (col - view.col) * view.scale); }
function cellToY(row) { return Math.round(view.top + (row - view.row) * view.scale); }
// The part of a picture that is in view.
function drawPicture(picture, x, ratio) {
  const first = Math.max(0, Math.floor(view.col)), last = Math.min(cols, Math.ceil(view.col + view.wide / view.scale));
  const above = Math.max(0, Math.floor(view.row)), below = Math.min(rows, Math.ceil(view.row + view.high / view.scale));
  const left = cellToX(x, first), top = cellToY(above);
  pen.imageSmoothingEnabled = view.scale * ratio < 1;
  pen.drawImage(picture, first, above, last - first, below - above, left, top, cellToX(x, last) - left, cellToY(below) - top);
}
const MARK_COLOURS = Uint32Array.from(MARKS, (one) => one ? 0xff000000 | one.colour[2] << 16 | one.colour[1] << 8 | one.colour[0] : 0);
const firePicture = newPicture(), firePen = firePicture.getContext("2d"), fireColours = new Uint32Array(65536);
// The fire as far as it has come, with breaks where `marked`.
function fireOf(marked) {
  const times = marked ? S.fire.treated : S.fire.without, glow = FRONT_SHARE * S.fire.minutes / FRONT.length;
  const until = Math.min(65534, Math.floor((S.time - times.offset) / times.scale + 1e-6));
  fireColours.fill(0);
  for (let k = 0; k <= until; k++) {
    const c = FRONT[Math.floor((S.time - times.offset - times.scale * k) / glow)] ?? BURNED;
    fireColours[k] = 0xff000000 | c[2] << 16 | c[1] << 8 | c[0];
  }
  const image = firePen.createImageData(cols, rows), out = new Uint32Array(image.data.buffer);
  for (let i = 0; i < size; i++) {
    const kind = marked ? lying[i] : 0;
    out[i] = kind && kind !== EDGE && kind !== POINT ? MARK_COLOURS[kind] : fireColours[times.raw[i]];
  }
  firePen.putImageData(image, 0, 0);
  return firePicture;
}
// Where cells are large, what lies on them has rims.
function drawRims(x) {
  const endRow = Math.min(rows, Math.ceil(view.row + view.high / view.scale)), endCol = Math.min(cols, Math.ceil(view.col + view.wide / view.scale));
  for (let row = Math.max(0, Math.floor(view.row)); row < endRow; row++) for (let col = Math.max(0, Math.floor(view.col)); col < endCol; col++) {
    const kind = lying[row * cols + col];
    if (!kind || kind === EDGE || (S.fire && kind === POINT)) continue;
    pen.strokeStyle = kind === REMOVED ? "#7a00a8" : "#fff"; pen.lineWidth = kind === REMOVED ? 2 : 0.8;
    pen.strokeRect(cellToX(x, col) + 0.5, cellToY(row) + 0.5, view.scale - 1, view.scale - 1);
  }
}
function drawPointers(x, marked) {
  if (marked && S.line) for (const cell of lineCells(S.line[0], S.line[1])) square(x, cell, treatable[cell] ? "#7a00a8" : "#d0006f");
  if (marked && !S.fire && S.step && S.step < plan().cells.length) box(x, plan().cells[S.step - 1]);
  if (S.fire && S.fire.cell !== null) ring(x, S.fire.cell, "#00e5ff");
  if (marked && S.mark >= 0) ring(x, S.mark, "#c77dff");
  if (S.cursor >= 0) box(x, S.cursor);
}
function square(x, cell, colour) {
  const side = Math.max(2, view.scale);
  pen.fillStyle = colour; pen.fillRect(cellToX(x, cell % cols), cellToY(Math.floor(cell / cols)), side, side);
}
function box(x, cell) {
  const left = cellToX(x, cell % cols), top = cellToY(Math.floor(cell / cols)), side = Math.max(4, view.scale);
  for (const [colour, wide] of [["#fff", 4], ["#d0006f", 2]]) { pen.strokeStyle = colour; pen.lineWidth = wide; pen.strokeRect(left - 1, top - 1, side + 2, side + 2); }
}
function ring(x, cell, colour) {
  for (const [paintIt, wide] of [["#000", 5], [colour, 2.5]]) {
    pen.beginPath(); pen.strokeStyle = paintIt; pen.lineWidth = wide;
    pen.arc(cellToX(x, cell % cols + 0.5), cellToY(Math.floor(cell / cols) + 0.5), Math.max(6, 0.8 * view.scale), 0, 7); pen.stroke();
  }
}
function title(x, treated) {
  pen.fillStyle = theme.ink; pen.font = "600 14px system-ui, sans-serif"; pen.textBaseline = "top"; pen.textAlign = "left";
  const burned = burnedBy(treated ? S.fire.treatedCounts : S.fire.withoutCounts, S.time), narrow = view.wide < 300, placed = breaks().length;
  const words = narrow ? (treated ? `${placed} breaks` : "no breaks") : treated ? `With ${many(placed, "break cell")}` : "Without breaks";
  pen.fillText(`${words}: ${narrow ? `${burned} burned` : `${many(burned, "cell")} burned`}`, x, 3, view.wide);
}
function measures(x, y, right) {
  const width = view.wide / view.scale * data.cell_size_m, power = 10 ** Math.floor(Math.log10(0.3 * width));
  const metres = Math.max(...[1, 2, 5].map((k) => k * power).filter((m) => m <= 0.3 * width)), long = metres / data.cell_size_m * view.scale;
  pen.strokeStyle = pen.fillStyle = theme.ink; pen.lineWidth = 2; pen.textBaseline = "middle"; pen.textAlign = "left";
  pen.beginPath(); pen.moveTo(x + 1, y); pen.lineTo(x + long, y); pen.moveTo(x + 1, y - 4); pen.lineTo(x + 1, y + 4); pen.moveTo(x + long, y - 4); pen.lineTo(x + long, y + 4); pen.stroke();
  pen.font = "13px system-ui, sans-serif";
  pen.fillText(metres >= 1000 ? `${metres / 1000} km` : `${metres} m`, x + long + 8, y);
  pen.textAlign = "right"; pen.font = "600 15px system-ui, sans-serif"; pen.fillText("↑ N", right, y);
}
// How many cells of a fire have burned by each whole number of its times.
function countsOf(times) {
  const sums = new Uint32Array(65536);
  for (let i = 0; i < size; i++) if (times.raw[i] !== NONE) sums[times.raw[i]]++;
  for (let k = 1; k < NONE; k++) sums[k] += sums[k - 1];
  return {sums, offset: times.offset, scale: times.scale};
}
function burnedBy(counts, until) {
  const k = Math.min(65534, Math.floor((until - counts.offset) / counts.scale + 1e-6));
  return k < 0 ? 0 : counts.sums[k];
}
