"""The interface of all networks; and networks of the user's in the place of firebreak's own: handed
in from Python, or of an installed package.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint

import torch
from torch import Tensor, nn

from firebreak import installed
from firebreak.agent.path_values import Paths
from firebreak.agent.targets import whole_value
from firebreak.checks import fail, unknown_name

Part = tuple[slice, slice]
"""Rows and columns of a map, from and to numbers of them."""

MakeNetwork = Callable[[int, int, int], nn.Module]
"""Makes a network from the channels of an observation, the width that was asked for, and the number
of values of each cell: one for each shape, action around it (1: the cell itself), or two where what
follows an action is valued apart. It takes observations [M, C, H, W] of any H and W and returns
values [M, number, H, W]. No layer may draw, or act otherwise in training: the values with which an
agent acts are those that its policy has later.
"""

_OTHERWISE_IN_TRAINING = (nn.modules.dropout._DropoutNd, nn.modules.batchnorm._BatchNorm)

_HANDED: dict[str, MakeNetwork] = {}


@cache
def _of_packages() -> dict[str, EntryPoint]:
    return installed.added(installed.NETWORKS, ())


def with_network(make: MakeNetwork, where: str) -> str:
    """Makes a function known as a network under its own name, which it returns.

    Raises:
        InputError: a function without a name, or no function.
    """
    name = getattr(make, "__name__", type(make).__name__)
    if not callable(make) or not re.fullmatch(r"[A-Za-z][\w-]{0,60}", name):
        raise fail(expected="a function with a name, by which a policy finds its network again",
                   given=name[:80], where=where, remedy="define it with def or class")
    _HANDED[name] = make
    return name


def _maker(name: str, where: str) -> MakeNetwork:
    if name in _HANDED:
        return _HANDED[name]
    packages = _of_packages()
    if name in packages:
        return installed.loaded(packages[name])
    if known := {*_HANDED, *packages}:
        raise unknown_name("network", name, known, where)
    raise fail(expected="a network that a package adds (entry points firebreak.networks) or that "
                        "was handed in from Python", given=f"'{name}'", where=where,
               remedy="install the package, or hand the network in first")


class QNetwork(nn.Module, ABC):
    """Observation [M, C, H, W] -> Q-values [M, A], A = shapes * H * W.

    Attributes:
        shapes: actions around each cell, see `firebreak.line_actions`; 1: the cells themselves.
        parts: of a cell's value, see `agent.targets`.
    """

    def __init__(self, width: int, shapes: int, parts: int) -> None:
        super().__init__()
        self.width, self.shapes, self.parts = width, shapes, parts

    @abstractmethod
    def parts_of_all(self, observation: Tensor, part: Part | None = None) -> Tensor:
        """The parts of the values of all actions: [M, parts, A].

        part: rows and columns of the map whose own actions alone are asked for, for less: those
        that lie in it are worth what they are worth on the map.
        """

    def parts_at(self, observation: Tensor, action: Tensor) -> Tensor:
        """The parts of the values of the actions i64 [M, L] alone: [M, parts, L]."""
        return self.parts_of_all(observation).gather(
            2, action[:, None].expand(-1, self.parts, -1))

    def parts_of(self, observation: Tensor, action: Tensor) -> Tensor:
        """The parts of the value of one action of each map, i64 [M]: [M, parts]."""
        return self.parts_at(observation, action[:, None])[..., 0]

    def forward(self, observation: Tensor, part: Part | None = None) -> Tensor:
        """Q-values of all actions, masked or not: [M, A]; part: see `parts_of_all`."""
        return whole_value(self.parts_of_all(observation, part), observation)

    def values_at(self, observation: Tensor, action: Tensor) -> Tensor:
        """Q-values of the actions i64 [M, L] alone: [M, L]."""
        return whole_value(self.parts_at(observation, action), observation)

    def value_of(self, observation: Tensor, action: Tensor) -> Tensor:
        """Q-values of one action of each map, i64 [M]: [M]."""
        return whole_value(self.parts_of(observation, action)[..., None], observation)[:, 0]

    def values_along(self, observation: Tensor, paths: Paths) -> Tensor:
        """Q-values of paths on the map of one observation [1, C, H, W]: [N]; as of the shapes that
        they are like in their middle cells.
        """
        return (self(observation).unflatten(1, (self.shapes, -1))[0, :, paths.middle].T
                * paths.like).sum(-1)


class OwnNetwork(QNetwork):
    """A user's network.

    Args:
        name: of the function that makes it.
        where: the name was said.

    Raises:
        InputError: there is no such function, or it makes nothing that can learn.
    """

    def __init__(self, name: str, channels: int, width: int, shapes: int,
                 where: str = "agent.network", parts: int = 1) -> None:
        super().__init__(width, shapes, parts)
        self.name = name
        body = _maker(name, where)(channels, width, parts * shapes)
        weights = list(body.parameters()) if isinstance(body, nn.Module) else []
        if not any(one.requires_grad for one in weights) or any(
                one.dtype != torch.float32 or nn.parameter.is_lazy(one) for one in weights):
            raise fail(expected="a torch module with parameters of float32, none of them lazy and "
                                "not all frozen",
                       given=type(body).__name__, where=f"network '{name}'",
                       remedy="return such a module")
        for layer in body.modules():
            if isinstance(layer, _OTHERWISE_IN_TRAINING):
                raise fail(expected="layers that compute the same in training as later",
                           given=type(layer).__name__, where=f"network '{name}'",
                           remedy="leave it out, or take torch.nn.GroupNorm to normalize")
        self.body = body

    def parts_of_all(self, observation: Tensor, part: Part | None = None) -> Tensor:
        """See `QNetwork.parts_of_all`.

        Raises:
            InputError: the network returned something else.
        """
        before = observation._version
        values: Tensor = self.body(observation)
        maps, _, rows, cols = observation.shape
        given = str(tuple(values.shape)) if isinstance(values, Tensor) else type(values).__name__
        if isinstance(values, Tensor) and values.dtype != torch.float32:
            given = str(values.dtype)
        elif observation._version != before:
            given = "an observation written over"
        elif (isinstance(values, Tensor) and not values.requires_grad and torch.is_grad_enabled()
              and any(one.requires_grad for one in self.parameters())):
            given = "values that do not follow from the parameters"
        if given != str((maps, self.parts * self.shapes, rows, cols)):
            raise fail(expected=f"values of shape {(maps, self.parts * self.shapes, rows, cols)}",
                       given=given, where=f"network '{self.name}'",
                       remedy="return a float32 value for each shape and cell, which follows from "
                              "the parameters, and leave the observation as it is")
        own = values if part is None else values[:, :, *part]
        return own.unflatten(1, (self.parts, self.shapes)).flatten(2)
