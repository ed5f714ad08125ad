"""Stands for the pre-signed URL that CloudFormation wants its answer at: takes PUTs over HTTPS and keeps them.

python -m embedded.receiver --directory DIRECTORY [--port 8443]
"""

from __future__ import annotations

import argparse
import json
import ssl
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embedded.certificates import issue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from embedded.certificates import Certificates


class Receiver(ThreadingHTTPServer):
    """`answers` are the bodies in the order of their arrival."""

    daemon_threads = True

    def __init__(self, certificates: Certificates, port: int = 0, *, show: bool = False) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answers: list[dict[str, Any]] = []
        self.show = show
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates.certificate, certificates.key)
        self.socket = context.wrap_socket(self.socket, server_side=True)

    @property
    def url(self) -> str:
        """What a ResponseURL is set to."""
        return f"https://localhost:{self.server_address[1]}/answer?X-Amz-Signature=example"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        answer = json.loads(body)
        self.server.answers.append(answer)
        if self.server.show:
            print(json.dumps(answer, indent=2), flush=True)
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        """The answer is what is shown, not the request line with its signature."""


@contextmanager
def receiving(certificates: Certificates) -> Iterator[Receiver]:
    """A receiver on a free port."""
    server = Receiver(certificates)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def main() -> int:
    """Print every answer until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m embedded.receiver", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--directory", type=Path, required=True, help="where the certificates are, or are made")
    parser.add_argument("--port", type=int, default=8443)
    arguments = parser.parse_args()
    certificates = issue(arguments.directory)
    server = Receiver(certificates, arguments.port, show=True)
    print(f"answers go to {server.url}\nclients trust {certificates.bundle}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
