// The data of the page and its layers: numbers out of text, how they are written, how they look.
const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const live = data.live, rows = data.rows, cols = data.cols, size = rows * cols;
const NONE = 65535;

function bytes(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);  // five times as fast, in browsers since 2025
  const letters = atob(text), out = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) out[i] = letters.charCodeAt(i);
  return out;
}
// A grid keeps its 16-bit whole numbers: number = offset + scale * whole; NONE is no number.
function grid(packed) {
  if (!packed) return null;
  const raw = bytes(packed.data);  // little-endian, as every machine that runs a browser is
  return {raw: new Uint16Array(raw.buffer), scale: packed.scale, offset: packed.offset};
}
const at = (g, i) => g.raw[i] === NONE ? NaN : g.offset + g.scale * g.raw[i];
function lazy(make) { let made, done = false; return () => { if (!done) { made = make(); done = true; } return made; }; }
const percent = (x, places = 1) => `${(100 * x).toFixed(places)} %`;
const signed = (x) => `${x > 0 ? "+" : x < 0 ? "−" : ""}${Math.abs(100 * x).toFixed(2)} %`;
const band = (e) => `${percent(e[0])} (${(100 * e[1]).toFixed(1)} to ${(100 * e[2]).toFixed(1)})`;
const short = (x) => Math.abs(x) >= 100 ? x.toFixed(0) : Math.abs(x) >= 1 ? x.toFixed(1) : x.toPrecision(2);
const many = (n, one) => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;

const fuel = bytes(data.fuel), burnable = bytes(data.burnable), treatable = bytes(data.treatable);
const light = bytes(data.light);
const fixed = {elevation: lazy(() => grid(data.elevation)), value: lazy(() => grid(data.value)),
               rate: lazy(() => grid(data.rate)), flame: lazy(() => grid(data.flame))};
function unpackedState(answer) {
  return {...answer, burn: grid(answer.burn_probability), down: grid(answer.downstream_value), qmap: grid(answer.q)};
}
const before = unpackedState(data.untreated);
// The difference of two grids as a third one.
function difference(one, other) {
  const raw = new Uint16Array(size), most = Math.max(one.scale, other.scale) * 65534 || 1, scale = 2 * most / 65534;
  const a = one.raw, b = other.raw, perA = one.scale / scale, perB = other.scale / scale, level = (one.offset - other.offset + most) / scale + 0.5;
  for (let i = 0; i < size; i++) raw[i] = a[i] === NONE || b[i] === NONE ? NONE : level + perA * a[i] - perB * b[i];  // cut off: rounded
  return {raw, scale, offset: -most};
}

// Where a cell lies: in the map's reference system, and in degrees from a coarse grid of them.
function placeOf(cell) {
  const [a, b, c, d, e, f] = data.transform, col = cell % cols + 0.5, row = Math.floor(cell / cols) + 0.5;
  return [a * col + b * row + c, d * col + e * row + f];
}
function degreesOf(cell) {
  const g = data.degrees;
  if (!g) return null;
  const n = g.points - 1, v = (Math.floor(cell / cols) + 0.5) / rows * n, u = (cell % cols + 0.5) / cols * n;
  const j = Math.min(Math.floor(v), n - 1), i = Math.min(Math.floor(u), n - 1), q = v - j, p = u - i;
  const mix = (of) => { const k = j * (n + 1) + i; return (of[k] * (1 - p) + of[k + 1] * p) * (1 - q) + (of[k + n + 1] * (1 - p) + of[k + n + 2] * p) * q; };
  return [mix(g.east), mix(g.north)];
}
function placeWords(cell) {
  const [x, y] = placeOf(cell), round = (v) => Math.round(v).toLocaleString("en"), degrees = degreesOf(cell);
  const say = [`x ${round(x)}, y ${round(y)}`];
  if (degrees) say.push(`${Math.abs(degrees[1]).toFixed(4)}° ${degrees[1] < 0 ? "S" : "N"}, ${Math.abs(degrees[0]).toFixed(4)}° ${degrees[0] < 0 ? "W" : "E"}`);
  return say;
}
// ---- colours, the layers that can be shown, and what lies on them --------------------------
const RAMPS = {
  heat: "ffffcc ffeda0 fed976 feb24c fd8d3c fc4e2a e31a1c bd0026 800026",
  sea: "ffffd9 edf8b1 c7e9b4 7fcdbb 41b6c4 1d91c0 225ea8 253494 081d58",
  leaf: "440154 482878 3e4a89 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
  change: "053061 2166ac 4393c3 92c5de d1e5f0 f7f7f7 fddbc7 f4a582 d6604d b2182b 67001f",
  earth: "f7fcf5 e5d8b0 c9a66b 8c6d46 543005"};
const FRONT = "fff3a0 ffd23f ff9f1c ff6b1a e63b12 b3200f 7d1a12".split(" ").map(rgb);
const BURNED = [74, 54, 48], BARE = [217, 221, 224], HATCH = [154, 163, 169], FRONT_SHARE = 0.2;
function rgb(hex) { return [0, 2, 4].map((k) => parseInt(hex.slice(k, k + 2), 16)); }
const css = (colour) => `rgb(${colour.map((c) => Math.round(c)).join(",")})`;
// While a fire burns, the layer below it is paler: on the map and in its legend alike.
function faded([r, g, b], on) {
  if (!on) return [r, g, b];
  const grey = (r + g + b) / 3;
  return [r, g, b].map((x) => 0.275 * (x + grey) + 115);
}
function rampAt(name, share) {
  const stops = RAMPS[name].split(" ").map(rgb), place = Math.max(0, Math.min(1, share)) * (stops.length - 1);
  const k = Math.min(Math.floor(place), stops.length - 2);
  return stops[k].map((c, j) => c + (place - k) * (stops[k + 1][j] - c));
}
const fuelColours = data.fuels.map((one) => rgb(one.colour.slice(1)));

// ---- what is shown -------------------------------------------------------------------------
let plans = data.plans, pending = data.pending;
const S = {plan: 0, step: plans[0].cells.length, added: new Set(), removed: new Set(), layer: "fuel",
           now: null, fire: null, time: 0, playing: false, cursor: -1, gain: null, wind: {...data.wind},
           line: null, mark: -1};
const changed = lazyByState(() => S.now && difference(S.now.burn, before.burn));
function lazyByState(make) { let of, made; return () => { if (of !== S.now) { of = S.now; made = make(); } return made; }; }
const LAYERS = {
  fuel: {name: "fuels"},
  burn: {name: "burn probability", ramp: "heat", words: "share of the fires that burn the cell", show: (x) => percent(x), of: () => S.now && S.now.burn, like: () => before.burn},
  saved: {name: "change of burn probability", ramp: "change", both: true, words: "with the breaks minus without", show: signed, of: changed},
  down: {name: "downstream value", ramp: "sea", words: `${data.value_unit} lost behind the cell, mean over fires`, show: short, of: () => S.now && S.now.down},
  q: {name: "Q-map: what the policy expects", ramp: "leaf", words: "expected loss reduction by the next break, or per cell of the best line through the cell, in percent of the untreated loss", show: (x) => `${x.toFixed(2)} %`, of: () => S.now && S.now.qmap},
  value: {name: "value", ramp: "earth", words: `${data.value_unit} lost where the cell burns`, show: short, of: fixed.value},
  rate: {name: "rate of spread", ramp: "heat", words: "metres per minute at the head, mean over weather", show: short, of: fixed.rate},
  flame: {name: "flame length", ramp: "heat", words: "metres at the head, mean over weather", show: short, of: fixed.flame},
  height: {name: "elevation", ramp: "earth", words: "metres", show: (x) => x.toFixed(0), of: fixed.elevation}};
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

// The ends of a layer's scale, from a histogram of its whole numbers over the cells that burn.
const ranges = new Map();
function range(g, layer) {
  if (ranges.has(g)) return ranges.get(g);
  const counts = new Uint32Array(65536);
  let known = 0;
  for (let i = 0; i < size; i++) if (burnable[i] && g.raw[i] !== NONE) { counts[g.raw[i]]++; known++; }
  const quantile = (share) => { let seen = 0, k = 0; while (k < NONE && (seen += counts[k]) < share * known) k++; return g.offset + g.scale * k; };
  let found = [0, 1];
  if (known && layer.both) { const most = Math.max(Math.abs(quantile(0.005)), Math.abs(quantile(0.995)), 1e-3); found = [-most, most]; }
  else if (known) {
    const low = layer === LAYERS.q || layer === LAYERS.height ? g.offset : 0;
    found = [low, Math.max(quantile(0.998), low + 1e-9)];
  }
  if (ranges.size > 40) ranges.clear();
  ranges.set(g, found);
  return found;
}
function shownRange() {
  const layer = LAYERS[S.layer], g = layer.of && layer.of();
  return g ? range(layer.like ? layer.like() : g, layer) : [0, 1];
}

// ---- what lies on the layers: kinds of cells by number, the later ones on top -------------------
const YEARS = [...new Set(plans.flatMap((p) => p.years))].sort((a, b) => a - b);
const yearColour = (year) => rampAt("leaf", YEARS.length < 2 ? 0 : 0.9 * YEARS.indexOf(year) / (YEARS.length - 1));
const MARKS = [null,
  {name: "edge of the treatable area", colour: [20, 80, 150]},
  {name: "breaks that stand already", colour: [0, 136, 55]},
  {name: "network to compare with", colour: [0, 151, 184]},
  {name: data.points_of ? `${data.points_of} (${data.points.length} cells)` : "", colour: [255, 0, 200]},
  {name: "fuel breaks", colour: [0, 0, 0]},
  {name: "added by hand", colour: [122, 0, 168]},
  {name: "removed by hand", colour: [255, 255, 255]},
  ...YEARS.map((year) => ({name: `to build in ${year}`, colour: yearColour(year)}))];
const [EDGE, STANDING, EXISTING, POINT, BREAK, ADDED, REMOVED, FIRST_YEAR] = [1, 2, 3, 4, 5, 6, 7, 8];
const edge = lazy(() => {
  const found = [];
  for (let i = 0; i < size; i++) {
    if (!treatable[i]) continue;
    const col = i % cols, row = (i - col) / cols;
    if ((col && burnable[i - 1] && !treatable[i - 1]) || (col < cols - 1 && burnable[i + 1] && !treatable[i + 1])
      || (row && burnable[i - cols] && !treatable[i - cols]) || (row < rows - 1 && burnable[i + cols] && !treatable[i + cols])) found.push(i);
  }
  return found;
});
const lying = new Uint8Array(size);
let present = new Set();
function layMarks() {
  lying.fill(0);
  present = new Set();
  const put = (cell, kind) => { present.add(kind); lying[cell] = kind; };
  for (const cell of edge()) put(cell, EDGE);
  for (const cell of data.standing) put(cell, STANDING);
  for (const cell of data.existing) put(cell, EXISTING);
  for (const cell of data.points) put(cell, POINT);
  const years = plan().years, own = new Set(prefix());
  prefix().forEach((cell, k) => put(cell, S.removed.has(cell) ? REMOVED : years.length ? FIRST_YEAR + YEARS.indexOf(years[k]) : BREAK));
  for (const cell of S.added) if (!own.has(cell)) put(cell, ADDED);
}
