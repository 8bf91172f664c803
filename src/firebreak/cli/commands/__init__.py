"""One module per command: its options and what it prints. What commands share is in `shared`; what
they compute is in the packages below.
"""

COMMANDS = {
    "train": "train a policy and compare it with other methods on landscapes it never saw",
    "trials": "search for hyper-parameters, cross-validated over folds of land",
    "evolve": "evolve a population of policies that share one replay",
    "plan": "make a plan for a landscape and write it as GeoTIFF, CSV and pictures",
    "methods": "list the planning methods and what each does",
    "evaluate": "compare methods and plans on test fires",
    "simulate": "burn a landscape and map burn probability, arrival time, intensity, downstream "
                "value",
    "visualize": "draw the figures of a trained policy; --serve opens the explorer of a run, a "
                 "plan or a landscape",
    "landscape": "read, convert, fetch or generate a landscape, or find lines on it "
                 "(info, convert, fetch, generate, lines)",
    "memory": "how much memory a run used, and whether it stayed constant (report, check)",
    "behavior": "compute the fire behaviour of a table of cases (Rothermel, or the Canadian FBP "
                "System)",
    "bench": "measure how fast this machine is",
}
"""Command -> what it does, in the order of the help."""

WITH_ACTIONS = ("landscape", "memory")
"""Commands that say what to do by a second word, their action."""

GROUPS = {
    "Plan": ("plan", "evaluate", "methods", "visualize"),
    "Landscapes and fires": ("landscape", "simulate", "behavior"),
    "Train a policy": ("train", "trials", "evolve"),
    "Memory and speed": ("memory", "bench"),
}
"""What commands are for -> commands, as the help groups them."""

EXAMPLES = {
    "plan": "firebreak plan sample:santa-ana --budget 5% --out my_plan",
    "evaluate": "firebreak evaluate sample:santa-ana --methods none,strips,dqn",
    "methods": "firebreak methods",
    "visualize": "firebreak visualize my_plan --serve",
    "landscape": "firebreak landscape info sample:santa-ana",
    "simulate": "firebreak simulate sample:santa-ana --fires 1000 --out my_maps",
    "behavior": "firebreak behavior my_cases.csv --out my_results.csv",
    "train": "firebreak train quick",
    "trials": "firebreak trials my_trials.toml",
    "evolve": "firebreak evolve quick --generations 10",
    "memory": "firebreak memory report outputs/my_run",
    "bench": "firebreak bench --quick",
}
"""Command -> one way to call it."""
