"""The explorer's server for the time of a test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from firebreak.report.explorer.server import Explorer, ExplorerServer


@contextmanager
def serving(explorer: Explorer) -> Iterator[ExplorerServer]:
    """Serves an explorer on a free port of loopback."""
    server = ExplorerServer(explorer, 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
