"""An HTTPS proxy on loopback: CONNECT, then bytes to and fro."""

from __future__ import annotations

import socket
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@contextmanager
def proxying():
    """A running proxy's URL, and the list of the hosts that it was asked for."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Tunnel)
    server.asked = []
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Tunnel(BaseHTTPRequestHandler):
    def log_message(self, *_):
        """Silent."""

    def do_CONNECT(self):
        self.server.asked.append(self.path)
        host, _, port = self.path.partition(":")
        with socket.create_connection((host, int(port))) as target:
            self.send_response(200)
            self.end_headers()
            back = Thread(target=_pump, args=(target, self.connection))
            back.start()
            _pump(self.connection, target)
            back.join()


def _pump(source, sink):
    """Until one side has gone."""
    with suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
