"""What goes over the wire: one request a call, whatever becomes of it; a repetition would run the work twice."""

from __future__ import annotations

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from botocore.config import Config

from rippflow.aws import functions
from rippflow.aws.clients import DISPATCH, Clients
from rippflow.aws.functions import LambdaFunctions
from rippflow.ports import Ambiguous, Answered, Rejected, Session

FUNCTION = "arn:aws:lambda:us-east-1:123456789012:function:check:1"
SESSION = Session(access_key="a", secret_key="b", token="c")


class Service(ThreadingHTTPServer):
    """Stands for Lambda: counts the requests that reach it and answers as it is told."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.behave = None
        self.requests = 0
        self.over = threading.Event()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.server.requests += 1
        self.server.behave(self)

    def answer(self, status, body=b"{}", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def service(monkeypatch):
    server = Service()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.delenv("AWS_CA_BUNDLE", raising=False)
    monkeypatch.setattr(functions, "DISPATCH", DISPATCH.merge(Config(read_timeout=1)))
    yield server
    server.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


def invoke(service, behave):
    service.behave = behave
    answer = LambdaFunctions(Clients()).invoke(SESSION, FUNCTION, b"{}")
    return answer, service.requests


def hang_up(handler):
    handler.connection.shutdown(socket.SHUT_RDWR)


def half_an_answer(handler):
    handler.send_response(200)
    handler.send_header("content-length", "100")
    handler.end_headers()
    handler.wfile.write(b'{"outcome"')
    handler.wfile.flush()
    hang_up(handler)


def wait_too_long(handler):
    handler.server.over.wait(30)


@pytest.mark.parametrize(
    "behave",
    [
        hang_up,
        half_an_answer,
        wait_too_long,
        lambda handler: handler.answer(500, x_amzn_errortype="ServiceException"),
        lambda handler: handler.answer(502),
        lambda handler: handler.answer(503),
        lambda handler: handler.answer(504),
    ],
    ids=["hung up", "half an answer", "no answer in time", "500", "502", "503", "504"],
)
def test_nobody_knows_whether_it_ran_and_it_was_sent_once(service, behave):
    answer, requests = invoke(service, behave)
    assert isinstance(answer, Ambiguous)
    assert requests == 1


def test_a_throttled_call_is_an_explicit_no_that_may_be_tried_again(service):
    answer, requests = invoke(service, lambda handler: handler.answer(429, x_amzn_errortype="TooManyRequestsException"))
    assert answer == Rejected(code="TooManyRequestsException", message="", throttled=True)
    assert requests == 1


@pytest.mark.parametrize("status", [400, 403, 404, 413])
def test_any_other_4xx_is_an_explicit_no(service, status):
    answer, requests = invoke(service, lambda handler: handler.answer(status, x_amzn_errortype="SomeException"))
    assert answer == Rejected(code="SomeException", message="", throttled=False)
    assert requests == 1


def test_an_answer_is_handed_on_with_lambdas_own_verdict(service):
    answer, _ = invoke(service, lambda handler: handler.answer(200, b'{"a":1}'))
    assert answer == Answered(body=b'{"a":1}')
    answer, _ = invoke(service, lambda handler: handler.answer(200, b"{}", x_amz_function_error="Unhandled"))
    assert answer == Answered(body=b"{}", function_error="Unhandled")


def test_a_request_that_never_left_proves_that_nothing_ran(service, monkeypatch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{unused.getsockname()[1]}")
        answer, requests = invoke(service, hang_up)
    assert isinstance(answer, Rejected)
    assert answer.throttled
    assert requests == 0
