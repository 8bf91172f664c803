"""Messages to workers and their replies, recipes of what workers hold, and the back ends."""

import traceback
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from firebreak.checks import InputError, ResourceFailedError


class WorkerLostError(ResourceFailedError):
    """A worker died (or did not answer) at every attempt of a call, or raised."""


class Recipe(NamedTuple):
    """Call that makes what a worker works with: `make(*arguments)`, where the worker lives."""

    make: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


class Message(NamedTuple):
    """One call. payload: what is shared with all workers, if this one lacks it, else None."""

    method: str
    arguments: tuple[Any, ...]
    payload: Any = None


class Done(NamedTuple):
    """A call's answer."""

    value: Any


class Raised(NamedTuple):
    """A call that raised: bad input (one sentence), or a traceback."""

    bad_input: bool
    text: str


class Lost(NamedTuple):
    """The worker is gone. reason: what the back end knows of it."""

    reason: str = ""


Reply = Done | Raised | Lost


class Answer(NamedTuple):
    """Answer of a worker."""

    worker: int
    value: Any


class Backend(Protocol):
    """A place where workers live.

    `wait` gives the replies that have come, at least one unless the time is over. `probe` asks a
    worker to show that it lives, as `start` does, and `started` says what came of it: None as long
    as it has not shown it. `hold` turns a payload into what is cheap to send to every worker.
    """

    name: str

    def start(self, worker: int) -> None: ...

    def probe(self, worker: int) -> None: ...

    def started(self, worker: int) -> Done | Lost | None: ...

    def send(self, worker: int, message: Message) -> None: ...

    def wait(self, workers: list[int], timeout_s: float | None) -> list[tuple[int, Reply]]: ...

    def hold(self, payload: Any) -> Any: ...

    def stop(self, worker: int) -> None: ...

    def close(self) -> None: ...


class LazyThing:
    """Holds the thing of a worker, made at its first call, so that a failure is that call's reply.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._thing: list[Any] = []

    def serve(self, message: Message) -> Reply:
        """Answers one call. No error is lost: the driver raises what a worker answers, and a worker
        that died of it instead would be taken for a lost one and called again.
        """
        try:
            if not self._thing:
                self._thing.append(self.recipe.make(*self.recipe.arguments))
            thing, = self._thing
            if message.payload is not None:
                thing.receive(message.payload)
            return Done(getattr(thing, message.method)(*message.arguments))
        except InputError as error:
            return Raised(True, str(error))
        except Exception:
            return Raised(False, traceback.format_exc())
