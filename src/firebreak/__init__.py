"""firebreak: train a fuel-break policy on simulated wildfires, plan with it on unseen land.

    from firebreak import read_landscape, simulate, plan, evaluate, train_policy

Each name is loaded when it is first asked for, so that `import firebreak` costs nothing.
"""

__version__ = "2.0.0rc1"

_PLACES = {"InputError": "checks", "MethodProblem": "planning.core.own_method",
           "evaluate": "api.compared", "plan": "api.planned", "read_landscape": "api.landscapes",
           "simulate": "api.simulated", "train_policy": "api.trained"}
"""Public name -> the module that it is defined in. None is the name of a sub-package or module,
which an import would put in its place."""

__all__ = ["InputError", "MethodProblem", "__version__", "evaluate", "plan", "read_landscape",
           "simulate", "train_policy"]


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'firebreak' has no attribute '{name}'")
    from importlib import import_module

    from firebreak.variables import without_foreign

    with without_foreign():
        found = getattr(import_module(f"firebreak.{_PLACES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
