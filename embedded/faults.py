"""A fault-injecting proxy between the functions and the emulator; everybody else goes straight to the emulator.

It hands requests on with their Host header and signature as they are, so IAM is still evaluated for the real caller.
"""

from __future__ import annotations

import http.client
import json
import random
import re
import socket
import ssl
import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple

from embedded import emulator as emulators
from embedded.batch.model import operations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from embedded.emulator import Emulator

_SCOPE = re.compile(r"Credential=[^/]+/[0-9]+/[a-z0-9-]+/([a-z0-9-]+)/aws4_request")
_BATCH = {path: model.name for path, model in operations().items()}
_INVOKE = re.compile(r"/2015-03-31/functions/[^/]+/invocations")
_ACTION = re.compile(r"(?:^|&)Action=(\w+)")
_OWN_HEADERS = {"connection", "transfer-encoding", "content-length", "keep-alive"}


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What happens to a matching request. `error` is (code, status); without an answer the connection is closed."""

    service: str
    operation: str | None = None
    error: tuple[str, int] | None = None
    lose_request: bool = False
    lose_answer: bool = False
    delay_secs: float = 0
    times: int | None = None
    probability: float = 1


class Fired(NamedTuple):
    """A fault that happened."""

    service: str
    operation: str
    fault: Fault


@dataclass
class Faults:
    """The faults in force, and those that happened; `seed` decides the ones with a probability."""

    seed: int = 7
    fired: list[Fired] = field(default_factory=list)
    _active: list[Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)  # noqa: S311 (repeatable on purpose)

    @contextmanager
    def injected(self, *faults: Fault) -> Iterator[list[Fired]]:
        """The faults are in force inside the block, which gets the list of those that happen in it."""
        self.fired.clear()
        self._active[:] = faults
        try:
            yield self.fired
        finally:
            self._active.clear()

    def next(self, service: str, operation: str) -> Fault | None:
        """The fault that this request meets."""
        with self._lock:
            for fault in self._active:
                if fault.service != service or fault.operation not in {None, operation}:
                    continue
                if fault.times is not None and sum(each.fault is fault for each in self.fired) >= fault.times:
                    continue
                if self._chance.random() < fault.probability:
                    self.fired.append(Fired(service, operation, fault))
                    return fault
        return None


class _Proxy(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, faults: Faults) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.faults = faults
        self.upstream: tuple[int, ssl.SSLContext] | None = None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Proxy

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        service = next(iter(_SCOPE.findall(self.headers.get("authorization", ""))), "unsigned")
        fault = self.server.faults.next(service, self._operation(body))
        if fault is not None:
            time.sleep(fault.delay_secs)
            if fault.lose_request:
                self._hang_up()
                return
            if fault.error is not None:
                self._answer(*_error(service, *fault.error))
                return
        status, headers, answer = self._forward(body)
        if fault is not None and fault.lose_answer:
            self._hang_up()
        else:
            self._answer(status, headers, answer)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _serve  # noqa: N815 (names that http.server looks for)

    def _operation(self, body: bytes) -> str:
        target = self.headers.get("x-amz-target")
        if target:
            return target.rpartition(".")[2]
        if _INVOKE.match(self.path):
            return "Invoke"
        if self.path in _BATCH:
            return _BATCH[self.path]
        found = _ACTION.search(body[:4096].decode("latin-1"))
        return found[1] if found else self.command

    def _forward(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        port, context = self.server.upstream or (0, None)
        connection = http.client.HTTPSConnection("localhost", port, context=context, timeout=130)
        try:
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in {"connection", "expect"}:
                    connection.putheader(name, value)
            connection.endheaders(body or None)
            answer = connection.getresponse()
            kept = [(name, value) for name, value in answer.getheaders() if name.lower() not in _OWN_HEADERS]
            return answer.status, kept, answer.read()
        finally:
            connection.close()

    def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_arguments: object) -> None:
        """`fired` tells what happened."""


def _error(service: str, code: str, status: int) -> tuple[int, list[tuple[str, str]], bytes]:
    """An AWS error as the service's protocol writes it."""
    if service == "sts":
        error = f"<Error><Type>Sender</Type><Code>{code}</Code><Message>injected</Message></Error>"
        text = f"<ErrorResponse>{error}</ErrorResponse>"
        return status, [("content-type", "text/xml")], text.encode()
    body = json.dumps({"__type": code, "message": "injected", "Type": "User"}).encode()
    return status, [("content-type", "application/x-amz-json-1.0"), ("x-amzn-errortype", code)], body


@contextmanager
def running_with_faults(directory: Path, extra: Mapping[str, str] | None = None) -> Iterator[tuple[Emulator, Faults]]:
    """An emulator, with more of an environment, whose functions reach AWS through the proxy."""
    faults = Faults()
    with ExitStack() as stack:
        proxy = stack.enter_context(_Proxy(0, faults))
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        stack.callback(thread.join)
        stack.callback(proxy.shutdown)
        url = f"http://127.0.0.1:{proxy.server_port}"
        emulator = stack.enter_context(emulators.running(directory, {**(extra or {}), "AWS_ENDPOINT_URL": url}))
        proxy.upstream = (emulator.port, ssl.create_default_context(cafile=str(emulator.certificates.bundle)))
        yield emulator, faults
