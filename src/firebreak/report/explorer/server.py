"""The explorer on loopback: the standard library's server, one page, a handful of addresses.

It listens on 127.0.0.1 alone, answers requests that name that host and no other, and reads no file:
every address is a key of a table. Others on the same machine can reach the port too, so addresses
begin with a token that only the address that is printed names. One question at a time reaches the
engine.
"""

import contextlib
import json
import secrets
import sys
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from firebreak.checks import InputError, fail
from firebreak.native_library import set_threads
from firebreak.report.explorer.page import (
    ICON,
    fire_answer,
    page,
    plan_data,
    start_data,
    state_answer,
)
from firebreak.report.explorer.plans import Exploration, compared_plan, other_methods
from firebreak.report.explorer.queries import (
    PARAMETERS,
    EditedBreaks,
    breaks_of,
    burnable_cell,
    number,
    parameters,
    whole,
    wind_of,
)

HOST = "127.0.0.1"
_TURN_S = 0.002  # given to whoever waits, between two rounds of a plan in the making
_IDLE_S = 30.0

Answer = Callable[[Mapping[str, str]], dict[str, Any]]


class _ClosingError(Exception):
    """Leaves the plans that are being made."""


class Explorer:
    """A map, its plans and the questions that may be asked of them; safe to ask from any thread.

    Plans to compare with are made by `make_others`, which gives way after each round.
    """

    def __init__(self, shown: Exploration, threads: int) -> None:
        self.shown, self.state = shown, shown.state
        self.plans = {shown.plan.name: shown.plan}
        self.pending = other_methods(self.state.scene, shown.plan.name)
        self._threads = threads
        self._turn = threading.Lock()
        self._closing = threading.Event()
        self.answers: dict[str, Answer] = {
            "/api/state": self._state, "/api/gain": self._gain, "/api/fire": self._fire,
            "/api/plans": self._plans}

    def ask(self, address: str, query: str) -> dict[str, Any]:
        """The answer to a question.

        Raises:
            InputError: a parameter is unknown, missing or out of bounds.
        """
        given = parameters(address, query)
        with self._turn:
            set_threads(self._threads)
            return self.answers[address](given)

    def page(self) -> str:
        """The page as things stand."""
        with self._turn:
            return page(start_data(self.shown, list(self.plans.values()), self.pending, live=True))

    def make_others(self) -> None:
        """Makes the plans that are pending, until `close`."""
        with contextlib.suppress(_ClosingError), self._turn:
            set_threads(self._threads)
            for method in list(self.pending):
                made = compared_plan(self.state, method, self._yield_lock)
                self.plans = {**self.plans, method: made}
                self.pending = [name for name in self.pending if name != method]

    def close(self) -> None:
        """Lets `make_others` end after its round."""
        self._closing.set()

    def _yield_lock(self) -> None:
        if self._closing.is_set():
            raise _ClosingError
        self._turn.release()
        try:
            self._closing.wait(_TURN_S)
        finally:
            self._turn.acquire()

    def _breaks(self, given: Mapping[str, str]) -> EditedBreaks:
        cells = {name: plan.cells for name, plan in self.plans.items()}
        return breaks_of(given, cells, self.state.land)

    def _state(self, given: Mapping[str, str]) -> dict[str, Any]:
        with_q = bool(whole({"q": given.get("q", "0")}, "q", 1))
        return state_answer(self.state, self._breaks(given), with_q)

    def _gain(self, given: Mapping[str, str]) -> dict[str, Any]:
        cell = whole(given, "cell", self.state.land.fuel_model.size - 1)
        return {"cell": cell, "saves": self.state.gain(self._breaks(given).cells, cell)}

    def _fire(self, given: Mapping[str, str]) -> dict[str, Any]:
        cell = burnable_cell(given, self.state.land)
        wind, minutes = wind_of(given), number(given, "minutes")
        lit = self.state.light(cell, wind, minutes, self._breaks(given).cells)
        return fire_answer(lit, cell, wind, minutes)

    def _plans(self, given: Mapping[str, str]) -> dict[str, Any]:
        return {"plans": [plan_data(plan) for plan in self.plans.values()],
                "pending": self.pending}


class ExplorerServer(ThreadingHTTPServer):
    """A server with a token of its own, without which it answers nothing but its icon."""

    daemon_threads = True
    # Elsewhere the option lets two servers share a port.
    allow_reuse_address = sys.platform != "win32"

    def __init__(self, explorer: Explorer, port: int) -> None:
        """Takes a port of loopback, 0 for any free one, and is not yet serving.

        Raises:
            InputError: the port is in use or may not be used.
        """
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise fail(expected="a free port", given=f"port {port} ({reason})", where="--port",
                       remedy="choose another, or 0 for any free one") from error
        self.explorer = explorer
        self.token = secrets.token_urlsafe(16)

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says what failed, but not that a page has gone."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Answers GET; everything else is refused by the base class."""

    server: ExplorerServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "firebreak", ""
    timeout = _IDLE_S

    def do_GET(self) -> None:
        """Answers one request."""
        whole, _, query = self.path.partition("?")
        try:
            address = self._after_token(whole)
            self._check_asker(address)
            if whole == "/favicon.ico":
                self._send(200, ICON, "image/svg+xml")
            elif address is None:
                self._send_json(403, {"error": "expected the address with its token; open the one "
                                               "that firebreak printed"})
            elif address == "/":
                self._send(200, self.server.explorer.page(), "text/html; charset=utf-8")
            elif address in PARAMETERS:
                self._send_json(200, self.server.explorer.ask(address, query))
            else:
                self._send_json(404, {"error": "expected an address of the explorer; open "
                                               "its page"})
        except InputError as error:
            self._send_json(400, {"error": str(error)})
        except ConnectionError:
            self.close_connection = True  # the page has gone
        except Exception:
            self._send_json(500, {"error": "the explorer failed; see the message in its terminal"})
            raise

    def _after_token(self, whole: str) -> str | None:
        """The address behind the token; None where the token is missing or another."""
        token, _, rest = whole.removeprefix("/").partition("/")
        known = secrets.compare_digest(token.encode(), self.server.token.encode())
        return f"/{rest}" if known and whole.startswith(f"/{token}/") else None

    def _check_asker(self, address: str | None) -> None:
        """A page of another site may have its name lead here; its requests then name that site."""
        port = self.server.server_port
        host = self.headers.get("Host", "")
        if host not in (f"{HOST}:{port}", f"localhost:{port}"):
            raise fail(expected=f"the host {HOST}:{port}", given=f"'{host[:80]}'", where="request",
                       remedy="open the address that firebreak printed")
        asker = self.headers.get("Sec-Fetch-Site", "none")
        if address in PARAMETERS and asker not in ("none", "same-origin"):
            raise fail(expected="a request from the explorer's own page",
                       given="one from another site", where="request",
                       remedy="open the address that firebreak printed")

    def _send_json(self, status: int, content: dict[str, Any]) -> None:
        self._send(status, json.dumps(content, allow_nan=False), "application/json")

    def _send(self, status: int, text: str, kind: str) -> None:
        body = text.encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not listed."""
