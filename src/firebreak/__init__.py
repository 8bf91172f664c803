"""firebreak: train a fuel-break policy on simulated wildfires, plan with it on unseen land."""

__version__ = "0.1.0"
