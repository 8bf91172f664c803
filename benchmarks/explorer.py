"""Seconds until the explorer is ready and until it answers, as its page sees it over loopback.

    .venv/bin/python benchmarks/explorer.py --size 128

Each kind of question is asked --times times, of other breaks each time. Printed are medians and the
slowest, by the clock and of the processor's time, which other work on the machine does not
lengthen. Nothing is asserted on time.
"""

import argparse
import http.client
import json
import os
import threading
import time
from collections.abc import Iterator
from statistics import median

import numpy as np

from firebreak.agent.policy_file import load_policy
from firebreak.fire import FireConditions, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.native_library import set_threads
from firebreak.planning.making import make_plan
from firebreak.report.explorer.plans import exploration
from firebreak.report.explorer.server import HOST, Explorer, ExplorerServer


def questions(explorer: Explorer, times: int) -> Iterator[tuple[str, str]]:
    """(kind, address), each kind `times` times."""
    state, cells = explorer.state, explorer.plans["dqn"].cells
    land = state.scene.landscape
    rng = np.random.default_rng(0)
    free = np.setdiff1d(np.flatnonzero(land.treatable), cells)
    likely = np.argsort(-state.untreated.burn_probability.ravel())[:free.size // 4]
    whole = f"plan=dqn&step={len(cells)}"
    for k in range(times):
        step, added, cell = int(rng.integers(len(cells))), int(rng.choice(free)), rng.choice(likely)
        wind = (f"wind_km_h={rng.uniform(5, 40):.0f}&wind_from_deg={rng.uniform(0, 359):.0f}"
                f"&dead_moisture=0.06&minutes={state.scene.median_duration_min:.0f}")
        yield "the page", "/"
        yield "a step of the slider", f"/api/state?plan=dqn&step={step}&q=0"
        yield "a step with the Q-map", f"/api/state?plan=dqn&step={step}&q=1"
        yield "the next step", f"/api/state?plan=dqn&step={1 + 7 * k % len(cells)}&q=0"
        yield "a break placed by hand", f"/api/state?{whole}&add={added}&q=0"
        yield "a break removed by hand", f"/api/state?{whole}&remove={cells[k % len(cells)]}&q=0"
        yield "what a break would save", f"/api/gain?{whole}&cell={added}"
        yield "a fire lit", f"/api/fire?{whole}&cell={cell}&{wind}"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    set_threads(args.threads)
    scene = make_scene(generate(1, args.size), FireConditions(), 0)
    policy = load_policy()
    cells = make_plan(scene, 0.03, 256, "dqn", seed=0, policy=policy).cells
    explorer = Explorer(exploration(scene, policy, 0.03, 256, "", "dqn", cells), args.threads)
    server = ExplorerServer(explorer, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    seconds: dict[str, list[tuple[float, float]]] = {}
    for kind, address in questions(explorer, args.times):
        began, busy = time.perf_counter(), time.process_time()
        connection = http.client.HTTPConnection(HOST, server.server_port)
        connection.request("GET", f"/{server.token}{address}")
        reply = connection.getresponse()
        text = reply.read()
        seconds.setdefault(kind, []).append((time.perf_counter() - began,
                                             time.process_time() - busy))
        if reply.status != 200:
            raise SystemExit(f"{address}: {json.loads(text)['error']}")
        connection.close()
    server.shutdown()
    print(f"{args.size} x {args.size} cells, {len(cells)} breaks, "
          f"{explorer.state.explore_fires} fires, "
          f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, milliseconds")
    for kind, own in seconds.items():
        wall, cpu = zip(*own, strict=True)
        print(f"  {kind:24s} median {1000 * median(wall):5.0f}  slowest {1000 * max(wall):5.0f}"
              f"   processor: median {1000 * median(cpu):4.0f}  slowest {1000 * max(cpu):4.0f}")


if __name__ == "__main__":
    main()
