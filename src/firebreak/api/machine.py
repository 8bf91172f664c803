"""The machine that a call runs on: its threads."""


def use_threads(count: int, torch_threads: int | None = None) -> None:
    """Sets the threads that burn fires (0 = all cores) and, if given, those of the network."""
    from firebreak.fire import max_threads, set_threads

    set_threads(count or max_threads())
    if torch_threads is not None:
        from firebreak.train.run.machine import use_network_threads

        use_network_threads(torch_threads)
