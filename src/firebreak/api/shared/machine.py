"""The threads of the machine that a call runs on."""

from collections.abc import Iterator
from contextlib import contextmanager


def use_threads(count: int, torch_threads: int | None = None) -> None:
    """Sets the threads that burn fires (0 = all cores) and, if given, those of the network."""
    from firebreak.native_library import max_threads, set_threads

    set_threads(count or max_threads())
    if torch_threads is not None:
        import torch

        torch.set_num_threads(torch_threads)


@contextmanager
def threads_kept() -> Iterator[None]:
    """Afterwards fires and networks have as many threads as before: they are the caller's."""
    import torch

    from firebreak.native_library import set_threads, thread_count

    fires, networks = thread_count(), torch.get_num_threads()
    try:
        yield
    finally:
        set_threads(fires)
        torch.set_num_threads(networks)
