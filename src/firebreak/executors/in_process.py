"""Workers that are plain objects of this process: no parallelism, no start-up, the reference."""

from typing import Any

from firebreak.executors.calls import Done, LazyThing, Message, Recipe, Reply


class InProcess:
    """A back end: calls run when their answers are waited for."""

    name = "in-process"

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._things: dict[int, LazyThing] = {}
        self._sent: dict[int, Message] = {}

    def start(self, worker: int) -> None:
        """Makes room for a worker."""
        self._things[worker] = LazyThing(self.recipe)

    def probe(self, worker: int) -> None:
        """A worker lives as long as this process."""

    def started(self, worker: int) -> Done:
        """It does."""
        return Done(None)

    def send(self, worker: int, message: Message) -> None:
        """Keeps a call until it is waited for."""
        self._sent[worker] = message

    def wait(self, workers: list[int], timeout_s: float | None) -> list[tuple[int, Reply]]:
        """Runs the oldest call."""
        worker = next(iter(self._sent))
        return [(worker, self._things[worker].serve(self._sent.pop(worker)))]

    def hold(self, payload: Any) -> Any:
        """The payload itself."""
        return payload

    def stop(self, worker: int) -> None:
        """Drops what the worker held."""
        self._things.pop(worker, None)
        self._sent.pop(worker, None)

    def close(self) -> None:
        """Drops everything."""
        self._things.clear()
        self._sent.clear()
