"""One module per command: its options and what it prints. What commands share is in `shared`; what
they compute is in the packages below.
"""

import importlib
from typing import Any, NamedTuple

COMMANDS = {
    "train": "train a policy and compare it with other methods on landscapes it never saw",
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


class Program(NamedTuple):
    """A command or an action: its module, loaded late, the class of its options, its function."""

    module: str
    options: str
    function: str = "run"


PROGRAMS = {
    "train": Program("train", "TrainArguments"), "plan": Program("plan", "PlanArguments"),
    "evaluate": Program("evaluate", "EvaluateArguments"),
    "simulate": Program("simulate", "SimulateArguments"),
    "methods": Program("methods", "MethodsArguments"),
    "visualize": Program("visualize", "VisualizeArguments"),
    "behavior": Program("behavior", "BehaviorArguments"),
    "bench": Program("bench.command", "BenchArguments"),
    "landscape info": Program("landscape.command", "InfoArguments", "info"),
    "landscape generate": Program("landscape.command", "GenerateArguments", "generate_landscape"),
    "landscape convert": Program("landscape.command", "ConvertArguments", "convert"),
    "landscape fetch": Program("landscape.fetch", "FetchArguments"),
    "landscape lines": Program("landscape.lines", "LinesArguments"),
    "memory report": Program("memory", "ReportArguments", "report"),
    "memory check": Program("memory", "CheckArguments", "check")}
"""Command, and action where it has some -> what runs it."""


def actions_of(command: str) -> list[str]:
    """The actions of a command, which it names by a second word; none for most."""
    return [name.split()[1] for name in PROGRAMS if name.startswith(f"{command} ")]


def class_of(name: str) -> Any:
    """The class of a program's options."""
    return _of(name, PROGRAMS[name].options)


def function_of(name: str) -> Any:
    """The function that runs a program: takes its bound options, returns the exit code."""
    return _of(name, PROGRAMS[name].function)


def _of(name: str, member: str) -> Any:
    return getattr(importlib.import_module(f"{__name__}.{PROGRAMS[name].module}"), member)


GROUPS = {
    "Plan": ("plan", "evaluate", "methods", "visualize"),
    "Landscapes and fires": ("landscape", "simulate", "behavior"),
    "Train a policy": ("train",),
    "Memory and speed": ("memory", "bench"),
}
"""Purpose -> commands, as the help groups them."""

EXAMPLES = {
    "plan": "firebreak plan sample:santa-ana --budget 5% --out my_plan",
    "evaluate": "firebreak evaluate sample:santa-ana --methods none,strips,dqn",
    "methods": "firebreak methods",
    "visualize": "firebreak visualize my_plan --serve",
    "landscape": "firebreak landscape info sample:santa-ana",
    "simulate": "firebreak simulate sample:santa-ana --fires 1000 --out my_maps",
    "behavior": "firebreak behavior my_cases.csv --out my_results.csv",
    "train": "firebreak train quick",
    "memory": "firebreak memory report outputs/my_run",
    "bench": "firebreak bench --quick",
}
"""Command -> one way to call it."""
