"""Stands for the pre-signed URLs at which CloudFormation wants its answers: takes, keeps and checks them.

python -m embedded.receiver [--event EVENT] [--port 8443] [--directory DIRECTORY]
"""

from __future__ import annotations

import argparse
import json
import ssl
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from embedded.answers import faults
from embedded.certificates import issue
from embedded.ending import INTERRUPTED, scratch, stop_as_ctrl_c_does

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from embedded.certificates import Certificates


@dataclass(frozen=True, slots=True)
class Answer:
    """A body as it came, and why CloudFormation would not take it."""

    body: bytes
    faults: list[str]

    @property
    def value(self) -> Any:
        """The answer itself; None when it is no JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def __str__(self) -> str:
        shown = self.body.decode("utf-8", "replace") if self.value is None else json.dumps(self.value, indent=2)
        verdict = "; ".join(self.faults)
        return f"{shown}\n" + (f"CloudFormation would refuse it: {verdict}" if verdict else "CloudFormation takes it")


class Receiver(ThreadingHTTPServer):
    """`answers` in the order of their arrival."""

    daemon_threads = True

    def __init__(self, certificates: Certificates, port: int = 0, *, show: bool = False) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answers: list[Answer] = []
        self.show = show
        self._requests: dict[str, Mapping[str, Any]] = {}
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates.certificate, certificates.key)
        self.socket = context.wrap_socket(self.socket, server_side=True)

    def url(self, name: str = "answer", request: Mapping[str, Any] | None = None, host: str = "localhost") -> str:
        """What a ResponseURL is set to; what arrives there is held to the request."""
        if request is not None:
            self._requests[f"/{name}"] = request
        return f"https://{host}:{self.server_port}/{name}?X-Amz-Signature=example"

    def take(self, path: str, body: bytes) -> None:
        """Keep the answer that came to a path."""
        answer = Answer(body, faults(body, self._requests.get(path)))
        self.answers.append(answer)
        if self.show:
            print(answer, flush=True)


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_PUT(self) -> None:
        self.server.take(urlsplit(self.path).path, self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        """The answer is what is shown, not the request line with its signature."""


@contextmanager
def receiving(certificates: Certificates, *, show: bool = False) -> Iterator[Receiver]:
    """A receiver on a free port."""
    server = Receiver(certificates, show=show)
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
    parser.add_argument("--event", type=Path, help="the request whose answer is awaited; its ids must come back")
    parser.add_argument("--port", type=int, default=8443)
    parser.add_argument("--directory", type=Path, help="where the certificates go; a temporary folder without it")
    arguments = parser.parse_args()
    stop_as_ctrl_c_does()
    request = json.loads(arguments.event.read_text("utf-8")) if arguments.event else None
    with scratch(arguments.directory) as directory:
        certificates = issue(directory)
        server = Receiver(certificates, arguments.port, show=True)
        print(f"answers go to {server.url(request=request)}\nclients trust {certificates.bundle}", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            server.server_close()
    return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
