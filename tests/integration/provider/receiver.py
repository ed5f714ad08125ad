"""A local HTTPS stand-in for CloudFormation's answer URLs, which checks what CloudFormation checks and more."""

from __future__ import annotations

import json
import ssl
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import trustme

from embedded.answers import faults

TAKE, DROP, SILENCE = 200, "drop", "silence"
"""How an answer is met, beside HTTP statuses: taken; connection closed; nothing said at all."""


class AnswerReceiver:
    """Use as a context manager; `authority` is the CA file that clients must trust."""

    def __init__(self, folder):
        certificates = trustme.CA()
        self.authority = folder / "authority.pem"
        certificates.cert_pem.write_to_path(self.authority)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificates.issue_cert("localhost").configure_cert(tls)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._closing = threading.Event()
        self._expected = {}
        self.meets = defaultdict(list)
        self.taken = defaultdict(list)
        self.tries = defaultdict(int)
        self.violations = []

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_exc):
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def url(self, token):
        return f"https://localhost:{self._server.server_port}/{token}"

    def expect(self, token, event, *meets):
        """The event whose answer comes to `url(token)`; `meets` says how the first tries end."""
        self._expected[token] = event
        self.meets[token] = list(meets)

    def _handler(self):
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_PUT(self):
                token = urlsplit(self.path).path.removeprefix("/")
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.tries[token] += 1
                meet = receiver.meets[token].pop(0) if receiver.meets[token] else TAKE
                if meet == DROP:
                    self.close_connection = True
                    return
                if meet == SILENCE:
                    receiver._closing.wait()
                    return
                if meet == TAKE:
                    receiver._take(token, self.headers, body)
                self.send_response(meet)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_args):
                """Say nothing."""

        return Handler

    def _take(self, token, headers, body):
        answer = json.loads(body)
        self.taken[token].append(answer)
        event = self._expected[token]
        wrong = {
            "content-type": headers.get("content-type") != "",
            "failed update's id": event["RequestType"] == "Update"
            and answer["Status"] == "FAILED"
            and answer["PhysicalResourceId"] != event["PhysicalResourceId"],
            "data": not all(isinstance(value, str) for value in answer["Data"].values()),
        }
        self.violations += [(token, what) for what in faults(body, event)]
        self.violations += [(token, what) for what, broken in wrong.items() if broken]
