"""The explorer's server for the time of a test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from firebreak.report.explorer_server import Explorer, make_server


@contextmanager
def serving(explorer: Explorer) -> Iterator[int]:
    """Serves an explorer on a free port of loopback; the port."""
    server = make_server(explorer, 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
