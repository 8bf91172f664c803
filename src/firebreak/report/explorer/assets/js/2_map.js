// The map: tiles that are painted once, moved and scaled; the fire and the cursor on top.
const canvas = $("map"), pen = canvas.getContext("2d");
const TILE = 256, MOST_TILES = 250, PAINT_MS = 8, MOST_SCALE = 48, GAP = 10, FOOT = 26;
const view = {scale: 0, row: 0, col: 0, panels: [], top: 0, wide: 0, high: 0, whole: true};
const tiles = new Map();  // the last picture of each tile, and what it shows
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
// One tile of a level, on which a pixel is 2^level cells wide; `marked` with what lies on the layer.
function paintTile(level, ty, tx, marked) {
  const wide = Math.min(TILE, widthAt(level) - tx * TILE), high = Math.min(TILE, heightAt(level) - ty * TILE);
  const tile = document.createElement("canvas"), tilePen = tile.getContext("2d");
  tile.width = wide; tile.height = high;
  const image = tilePen.createImageData(wide, high), out = image.data, layer = LAYERS[S.layer];
  const g = layer.of ? layer.of() : null, shade = $("relief").checked, everywhere = S.layer === "height", pale = !!S.fire;
  const bare = faded(BARE, pale), hatch = faded(HATCH, pale), hatched = S.layer === "q" && !S.fire;
  const marks = lying[level], marksWide = widthAt(level), half = (1 << level) >> 1;
  for (let y = 0, o = 0; y < high; y++) {
    const row = Math.min(rows - 1, ((ty * TILE + y) << level) + half), mark = (ty * TILE + y) * marksWide + tx * TILE;
    for (let x = 0; x < wide; x++, o += 4) {
      const kind = marked ? marks[mark + x] : 0;
      out[o + 3] = 255;
      if (kind) { const c = MARKS[kind].colour; out[o] = c[0]; out[o + 1] = c[1]; out[o + 2] = c[2]; continue; }
      const i = row * cols + Math.min(cols - 1, ((tx * TILE + x) << level) + half), f = shade && fuel[i] !== 255 ? shades[light[i]] : 256;
      let r, b, n, k;
      if (layer.ramp && (!g || g.raw[i] === NONE || (!burnable[i] && !everywhere))) {
        const c = hatched && !((x + y) & 3) ? hatch : bare;
        [r, n, b] = c;
      } else { k = 3 * (layer.ramp ? g.raw[i] : fuel[i]); r = colours[k]; n = colours[k + 1]; b = colours[k + 2]; if (!layer.ramp && fuel[i] === 255) r = n = b = 255; }
      out[o] = (r * f) >> 8; out[o + 1] = (n * f) >> 8; out[o + 2] = (b * f) >> 8;
    }
  }
  tilePen.putImageData(image, 0, 0);
  return tile;
}

// ---- a frame -------------------------------------------------------------------------------
let due = false;
function draw() { if (!due) { due = true; document.body.dataset.drawn = ""; requestAnimationFrame(frame); } }
function frame() {
  due = false;
  const began = performance.now();
  const missing = drawFrame(began);
  frames.push(performance.now() - began);
  if (frames.length > 600) frames.shift();
  document.body.dataset.drawn = missing ? "" : "1";
  if (missing) draw();
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
function drawFrame(began) {
  const ratio = layOut();
  prepareColours();
  let missing = false;
  view.panels.forEach((x, side) => {
    const marked = !S.fire || side === 1;
    pen.save(); pen.beginPath(); pen.rect(x, view.top, view.wide, view.high); pen.clip();
    missing = drawTiles(x, marked, ratio, began) || missing;
    if (S.fire) drawFire(x, marked ? S.fire.treated : S.fire.without, marked, ratio);
    if (marked && view.scale >= 5) drawRims(x);
    drawPointers(x, marked);
    pen.restore();
    if (S.fire) title(x, marked);
  });
  measures(view.panels[0], view.top + view.high + 8, view.panels[view.panels.length - 1] + view.wide);
  return missing;
}
function cellToX(x, col) { return Math.round(x + (col - view.col) * view.scale); }
function cellToY(row) { return Math.round(view.top + (row - view.row) * view.scale); }
// The level whose pixels are nearest in size to those of the screen.
const levelNow = (ratio) => Math.max(0, Math.min(LEVELS - 1, Math.round(Math.log2(1 / (view.scale * ratio)))));
function drawTiles(x, marked, ratio, began) {
  const level = levelNow(ratio), across = TILE << level;
  const last = (room, first, count) => Math.min(Math.ceil((first + room / view.scale) / across), Math.ceil(count / across));
  let missing = false;
  pen.imageSmoothingEnabled = view.scale * (1 << level) * ratio < 1;
  for (let ty = Math.max(0, Math.floor(view.row / across)); ty < last(view.high, view.row, rows); ty++) {
    for (let tx = Math.max(0, Math.floor(view.col / across)); tx < last(view.wide, view.col, cols); tx++) {
      const left = cellToX(x, tx * across), top = cellToY(ty * across), tile = tileOf(level, ty, tx, marked, began);
      if (!tile) { missing = true; drawCoarse(x, ty * across, tx * across, across, marked); continue; }
      missing = missing || tile.stale;
      const {picture} = tile;
      pen.drawImage(picture, left, top, cellToX(x, tx * across + (picture.width << level)) - left, cellToY(ty * across + (picture.height << level)) - top);
    }
  }
  return missing;
}
// A tile as things stand, or what it showed before where this frame has painted for long enough.
function tileOf(level, ty, tx, marked, began) {
  const key = `${level}/${ty}/${tx}/${marked}`, shows = marked ? `${paintedAs}/${marksNumber}` : paintedAs, held = tiles.get(key);
  if (held && held.shows === shows) return held;
  if (performance.now() - began > PAINT_MS) { if (held) held.stale = true; return held; }
  if (!held && tiles.size > MOST_TILES) tiles.clear();
  const made = {picture: paintTile(level, ty, tx, marked), shows, stale: false};
  tiles.set(key, made);
  return made;
}
function drawCoarse(x, row, col, across, marked) {
  const level = LEVELS - 1, tile = tiles.get(`${level}/0/0/${marked}`);
  if (!tile) return;
  const right = Math.min(cols, col + across), bottom = Math.min(rows, row + across), left = cellToX(x, col), top = cellToY(row);
  pen.drawImage(tile.picture, col >> level, row >> level, Math.max(1, (right - col) >> level), Math.max(1, (bottom - row) >> level), left, top, cellToX(x, right) - left, cellToY(bottom) - top);
}
const MARK_COLOURS = Uint32Array.from(MARKS, (one) => one ? 0xff000000 | one.colour[2] << 16 | one.colour[1] << 8 | one.colour[0] : 0);
const fireCanvas = document.createElement("canvas"), firePen = fireCanvas.getContext("2d"), fireColours = new Uint32Array(65536);
function drawFire(x, times, marked, ratio) {
  const level = levelNow(ratio), step = 1 << level, marks = lying[level], marksWide = widthAt(level);
  const left = Math.max(0, Math.floor(view.col / step) * step), top = Math.max(0, Math.floor(view.row / step) * step);
  const right = Math.min(cols, Math.ceil(view.col + view.wide / view.scale)), bottom = Math.min(rows, Math.ceil(view.row + view.high / view.scale));
  const wide = Math.ceil((right - left) / step), high = Math.ceil((bottom - top) / step);
  if (wide < 1 || high < 1) return;
  const until = Math.min(65534, Math.floor((S.time - times.offset) / times.scale + 1e-6)), glow = FRONT_SHARE * S.fire.minutes / FRONT.length;
  fireColours.fill(0);
  for (let k = 0; k <= until; k++) {
    const c = FRONT[Math.floor((S.time - times.offset - times.scale * k) / glow)] ?? BURNED;
    fireColours[k] = 0xff000000 | c[2] << 16 | c[1] << 8 | c[0];
  }
  fireCanvas.width = wide; fireCanvas.height = high;
  const image = firePen.createImageData(wide, high), out = new Uint32Array(image.data.buffer), half = step >> 1;
  for (let y = 0, o = 0; y < high; y++) {
    const row = Math.min(rows - 1, top + y * step + half) * cols, mark = ((top >> level) + y) * marksWide + (left >> level);
    for (let c = 0; c < wide; c++, o++) {
      const kind = marked ? marks[mark + c] : 0;
      out[o] = kind && kind !== EDGE && kind !== POINT ? MARK_COLOURS[kind] : fireColours[times.raw[row + Math.min(cols - 1, left + c * step + half)]];
    }
  }
  firePen.putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = false;
  const dx = cellToX(x, left), dy = cellToY(top);
  pen.drawImage(fireCanvas, dx, dy, cellToX(x, left + wide * step) - dx, cellToY(top + high * step) - dy);
}
// Where cells are large, what lies on them has rims.
function drawRims(x) {
  const endRow = Math.min(rows, Math.ceil(view.row + view.high / view.scale)), endCol = Math.min(cols, Math.ceil(view.col + view.wide / view.scale));
  for (let row = Math.max(0, Math.floor(view.row)); row < endRow; row++) for (let col = Math.max(0, Math.floor(view.col)); col < endCol; col++) {
    const kind = lying[0][row * cols + col];
    if (!kind || kind === EDGE || (S.fire && kind === POINT)) continue;
    pen.strokeStyle = kind === REMOVED ? "#7a00a8" : "#fff"; pen.lineWidth = kind === REMOVED ? 2 : 0.8;
    pen.strokeRect(cellToX(x, col) + 0.5, cellToY(row) + 0.5, view.scale - 1, view.scale - 1);
  }
}
function drawPointers(x, marked) {
  if (marked && S.line) for (const cell of lineCells(S.line[0], S.line[1])) square(x, cell, treatable[cell] ? "#7a00a8" : "#d0006f");
  if (marked && !S.fire && S.step && S.step < plan().cells.length) box(x, plan().cells[S.step - 1]);
  if (S.fire) ring(x, S.fire.cell, "#00e5ff");
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
