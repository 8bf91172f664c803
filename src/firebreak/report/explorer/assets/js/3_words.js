// Legend, numbers, tables, the chart, and the line under the map.
function legend() {
  const list = $("legend"), layer = LAYERS[S.layer], pale = !!S.fire;
  list.textContent = "";
  const entry = (text, colour, inside = "") => {
    const item = document.createElement("li"), swatch = document.createElement("i");
    if (colour) {
      const dark = colour.reduce((sum, c, k) => sum + c * [0.299, 0.587, 0.114][k], 0) < 128;
      swatch.textContent = inside; swatch.style.cssText = `background:${css(colour)};color:${dark ? "#fff" : "#222"}`;
      item.append(swatch);
    }
    item.append(text); list.append(item);
    return swatch;
  };
  if (!layer.ramp) {
    for (const one of data.fuels.slice(0, 14)) entry(`${one.name} ${one.share < 0.005 ? "<1 %" : percent(one.share, 0)}`, faded(rgb(one.colour.slice(1)), pale), one.code);
    if (data.fuels.length > 14) entry(`and ${data.fuels.length - 14} others`);
  } else if (S.layer === "q" && S.now && S.now.qmap && S.now.qmap.raw.every((x) => x === NONE)) {
    entry("The budget is spent: there is no next break. Step back to see what the policy expected.");
  } else {
    const [low, high] = shownRange(), stops = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((k) => css(faded(rampAt(layer.ramp, k / 8), pale))).join(",");
    const item = document.createElement("li"), ramp = document.createElement("span");
    ramp.className = "ramp"; ramp.style.background = `linear-gradient(90deg,${stops})`;
    item.append(layer.show(low), ramp, `${layer.show(high)} ${layer.words}`); list.append(item);
    if (S.layer === "q" && !pale) entry("hatched: no break may be placed", BARE).className = "hatched";
    else if (S.layer !== "height") entry("does not burn", faded(BARE, pale));
  }
  for (const kind of [...present].sort((a, b) => a - b)) {
    if (MARKS[kind].name && !(pale && (kind === EDGE || kind === POINT))) entry(MARKS[kind].name, MARKS[kind].colour);
  }
  if (pale) { entry("fire front", FRONT[2]); entry("burned", BURNED); entry("the layer is pale while a fire is shown"); }
}
const cellsWords = () => {
  const e = edits(), more = [e.add.length ? `${e.add.length} added` : "", e.remove.length ? `${e.remove.length} removed` : ""].filter(Boolean);
  return `${S.step.toLocaleString("en")} of ${many(plan().cells.length, "cell")}${more.length ? ` of the plan, ${more.join(", ")}` : ""}`;
};
// What the report says of the plan so far: known where whole segments of it stand, and no more.
const told = () => {
  const p = plan(), built = S.step ? p.build_order[S.step - 1] : 0;
  return p.told.length && !isEdited() && p.build_order[S.step] !== built ? p.told[built] : null;
};
function numbers() {
  const now = S.now;
  $("order").textContent = `The plan, in ${plan().build_order.length ? "build order" : "the order of placement"}`;
  $("step").max = plan().cells.length; $("step").value = S.step;
  $("step").setAttribute("aria-valuetext", cellsWords());
  $("count").textContent = cellsWords();
  const own = now ? band(now.reduction) : "…", report = told();
  $("reduction").textContent = report ? `${band(report)}, as in the report` : own;
  $("own").textContent = own;
  $("own").hidden = $("ownlabel").hidden = !report;
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
  $("note").textContent = `${told() ? "But for the report's number f" : "F"}rom ${data.explore_fires} fires that no method was given, and that are not the report's; 95 % intervals ${data.intervals}. Test a plan that you tuned on these numbers on other fires, with firebreak evaluate --plan.${held}`;
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
    dash.style.background = one.colour;
    label.append(radio, " ", dash, one.name);
    row.insertCell().append(label);
    row.insertCell().textContent = one.cells.length.toLocaleString("en");
    row.insertCell().textContent = band(last.slice(1));
  });
  for (const name of pending) { const row = body.insertRow(); row.insertCell().textContent = name; row.insertCell(); row.insertCell().textContent = "being made…"; }
  chart();
}
// Up to six round numbers around what is shown, at least `least` apart, and the decimals that tell
// them apart in percent.
function ticks(low, high, least) {
  const rough = Math.max((high - low) / 5, least), power = 10 ** Math.floor(Math.log10(rough));
  const gap = Math.max([1, 2, 5, 10].map((k) => k * power).find((step) => step >= rough * (1 - 1e-9)), least);
  const first = Math.floor(low / gap + 1e-9), last = Math.ceil(high / gap - 1e-9), places = [];
  for (let k = first; k <= last; k++) places.push(Number((k * gap).toPrecision(12)));
  return {at: places, start: places[0], end: places[places.length - 1], decimals: Math.max(0, -Math.floor(Math.log10(100 * gap) + 1e-9))};
}
function chart() {
  const W = 384, H = 176, L = 40, B = 30, T = 8, R = 12;
  const shown = [...plans.flatMap((p) => p.curve.flatMap((c) => c.slice(1))), ...(S.now ? [S.now.reduction[0]] : [])];
  const across = ticks(0, Math.max(1, ...plans.map((p) => p.cells.length), breaks().length), 1);
  const up = ticks(Math.min(0, ...shown), Math.max(0.001, ...shown), 0);
  const most = across.end, low = up.start, best = up.end;
  const x = (n) => L + (W - L - R) * n / most, y = (v) => H - B - (H - B - T) * (v - low) / (best - low);
  let inside = "";
  for (const v of up.at) inside += `<line class="grid" x1="${L}" x2="${W - R}" y1="${y(v)}" y2="${y(v)}"/><text x="${L - 4}" y="${y(v) + 3}" text-anchor="end">${percent(v, up.decimals)}</text>`;
  for (const n of across.at) inside += `<text x="${n === most ? W : x(n)}" y="${H - 17}" text-anchor="${n === most ? "end" : "middle"}">${n.toLocaleString("en")}</text>`;
  plans.forEach((p, k) => {
    const above = p.curve.map((c) => `${x(c[0])},${y(c[3])}`), below = p.curve.map((c) => `${x(c[0])},${y(c[2])}`).reverse();
    if (k === S.plan) inside += `<polygon points="${[...above, ...below].join(" ")}" fill="${p.colour}" opacity=".2"/>`;
    inside += `<polyline points="${p.curve.map((c) => `${x(c[0])},${y(c[1])}`).join(" ")}" fill="none" stroke="${p.colour}" stroke-width="2"${k ? ` stroke-dasharray="${k === 1 ? "6 3" : "2 3"}"` : ""}/>`;
  });
  if (S.now) inside += `<circle class="here" cx="${x(breaks().length)}" cy="${y(S.now.reduction[0])}" r="4"/>`;
  $("chart").innerHTML = `<svg viewBox="0 0 ${W} ${H}" role="img" aria-label="How far the expected loss falls, by break cells placed, for each plan; the circle is what the map shows">${inside}<text x="${(W + L) / 2}" y="${H - 4}" text-anchor="middle">break cells; the circle is what the map shows</text></svg>`;
}
const inPlan = (cell) => plan().cells.indexOf(cell);
function readout(cell) {
  if (cell < 0) { $("readout").textContent = "\u00a0"; return; }
  const one = fuel[cell] === 255 ? null : data.fuels[fuel[cell]], words = [`row ${Math.floor(cell / cols)}, column ${cell % cols}`, ...placeWords(cell)];
  words.push(one ? `${one.name} (${one.code})${one.title ? `: ${one.title}` : ""}` : "no data");
  const height = at(fixed.elevation(), cell);
  if (Number.isFinite(height)) words.push(`${height.toFixed(0)} m above sea level`);
  if (burnable[cell]) {
    words.push(`${short(at(fixed.rate(), cell))} m/min, flames ${short(at(fixed.flame(), cell))} m`, `value ${short(at(fixed.value(), cell))} ${data.value_unit}`);
    if (S.now) words.push(`burns in ${percent(at(S.now.burn, cell))} of fires (${percent(at(before.burn, cell))} without breaks)`, `downstream ${short(at(S.now.down, cell))} ${data.value_unit}`);
    if (S.now && S.now.qmap && S.now.qmap.raw[cell] !== NONE) words.push(`Q ${at(S.now.qmap, cell).toFixed(2)} %`);
    if (!treatable[cell]) words.push("not treatable");
  } else words.push("does not burn");
  const place = inPlan(cell), year = place >= 0 && plan().years.length ? `, to build in ${plan().years[place]}` : "";
  if (place >= 0) words.push(`${plan().build_order.length ? `${plan().names[place] || "segment"}, number ${plan().build_order[place]} in build order` : `break ${place + 1} of the plan`}${year}`);
  if (data.standing.includes(cell)) words.push("a break stands here already");
  if (S.fire) words.push(`fire ${when(at(S.fire.without, cell))} without, ${when(at(S.fire.treated, cell))} with breaks`);
  if (S.gain && S.gain.cell === cell && !breaks().includes(cell)) words.push(`a break here reduces the loss by a further ${percent(S.gain.saves, 2)}`);
  $("readout").textContent = words.join(" · ");
}
const when = (minutes_) => Number.isFinite(minutes_) ? `after ${minutes_.toFixed(0)} min` : "never";
function fireWords() {
  const f = S.fire;
  $("play").disabled = $("time").disabled = $("clear").disabled = !f;
  $("play").textContent = S.playing ? "❚❚ pause" : "▶ play";
  if (!f) { $("clock").textContent = "no fire yet"; $("fire").textContent = live ? "Click into the map to light a fire; drag the arrow to turn the wind." : "Choose a fire to play."; return; }
  $("time").value = Math.round(1000 * S.time / f.minutes);
  $("clock").textContent = `${S.time.toFixed(0)} of ${f.minutes.toFixed(0)} min`;
  $("time").setAttribute("aria-valuetext", $("clock").textContent);
  const less = f.loss_without > 0 ? 1 - f.loss_treated / f.loss_without : 0, hectares = data.cell_size_m ** 2 / 1e4;
  const burned = [f.withoutCounts, f.treatedCounts].map((counts) => burnedBy(counts, f.minutes));
  $("fire").textContent = `This fire, wind ${f.wind_km_h.toFixed(0)} km/h from ${f.wind_from_deg.toFixed(0)}°, fine fuel at ${percent(f.dead_moisture)}: on this map ${burned[0]} cells without breaks, ${burned[1]} with them (${short(burned[0] * hectares)} and ${short(burned[1] * hectares)} ha); loss ${percent(less)} smaller.`;
}
function say(text, told = false) { $("message").textContent = text; $("message").className = told ? "told" : ""; }
function hush() { if ($("message").className !== "told") say(""); }  // an error is over; what was told stays
