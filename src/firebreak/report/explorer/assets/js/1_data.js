// What the page was given: numbers out of text, and how they are written.
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
