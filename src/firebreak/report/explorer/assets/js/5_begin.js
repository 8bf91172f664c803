// The wind's dial, and the beginning.
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
function turnDial(event) {
  const box = $("dial").getBoundingClientRect(), half = box.width / 2;
  const x = (event.clientX - box.left - half) / half * 60, y = (event.clientY - box.top - half) / half * 60;
  blow((Math.hypot(x, y) / 52) ** 2 * MOST_WIND, Math.atan2(x, -y) * 180 / Math.PI + 180);
}
$("dial").addEventListener("pointerdown", (event) => { $("dial").setPointerCapture(event.pointerId); turnDial(event); });
$("dial").addEventListener("pointermove", (event) => { if (event.buttons) turnDial(event); });
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
  $("tools").hidden = true;
  $("which").add(new Option("none", ""));
  data.played.forEach((one, k) => $("which").add(new Option(`${k + 1}: wind ${one.wind_km_h.toFixed(0)} km/h from ${one.wind_from_deg.toFixed(0)}°`, k)));
  $("which").addEventListener("change", (event) => {
    if (event.target.value === "") { putOut(); return; }
    const one = data.played[Number(event.target.value)];
    choose(0); event.target.value = data.played.indexOf(one); S.fire = asFire(one); S.time = 0; play(true); show();
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
