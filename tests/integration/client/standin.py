"""A stand-in installation on loopback: HTTPS, checks each SigV4 signature by itself, answers what a test says."""

from __future__ import annotations

import hashlib
import hmac
import json
import ssl
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import quote, urlsplit

import trustme

ACCESS_KEY, SECRET_KEY, TOKEN = "AKIDEXAMPLE", "the-secret-key", "the-session-token"
REGION = "eu-central-1"
PREFIX = "/_aws/execute-api/abc123/v1"
DEPLOYMENT = "dep_" + "a" * 52
SCOPED = {
    "installationId": "production",
    "version": "1.9.0",
    "contracts": ["scoped-deployments-v1"],
    "capabilities": ["scoped-deployments-v1", "scoped-workflow-executions-v1"],
}
DROP = object()
"""Answer that closes the connection instead."""


@dataclass
class StandIn:
    """`answers[("GET", "/capabilities")]` is a list of (status, body) or DROP; the last one stays.

    `serve(method, path, body)` answers what no list does.
    """

    url: str
    bundle: str
    serve: object = lambda *_: (403, {"message": "Missing Authentication Token"})
    answers: dict = field(default_factory=dict)
    requests: list = field(default_factory=list)

    def answer(self, method, path, *answers):
        self.answers[method, path] = list(answers)

    def sent(self, method):
        """(path, body) of the requests of a method, in order."""
        return [(path, body) for verb, path, body in self.requests if verb == method]

    def environment(self):
        return {
            "RIPPFLOW_DEPLOYMENT_URL": self.url,
            "AWS_CA_BUNDLE": self.bundle,
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_SESSION_TOKEN": TOKEN,
            "AWS_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }


@contextmanager
def standing_in(directory):
    """A running stand-in that serves capabilities of 1.9.0."""
    authority = trustme.CA()
    bundle = directory / "ca.pem"
    authority.cert_pem.write_to_path(bundle)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.stand_in = StandIn(f"https://localhost:{server.server_port}{PREFIX}", str(bundle))
    server.stand_in.answer("GET", "/capabilities", (200, SCOPED))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.stand_in
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Silent."""

    def do_any(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        stand_in = self.server.stand_in
        path = self.path.removeprefix(PREFIX)
        stand_in.requests.append((self.command, path, json.loads(body) if body else None))
        if not signed_by_us(self.command, self.path, self.headers, body):
            self.respond(
                403, {"message": "The request signature we calculated does not match the signature you provided."}
            )
            return
        answers = stand_in.answers.get((self.command, path))
        if answers is None:
            answer = stand_in.serve(self.command, path, body.decode())
        else:
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if answer is DROP:
            self.close_connection = True
            self.connection.close()
        else:
            self.respond(*answer)

    do_GET = do_POST = do_DELETE = do_any  # noqa: N815 (what http.server looks for)

    def respond(self, status, body):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.send_header("x-amzn-RequestId", f"request-{len(self.server.stand_in.requests)}")
        self.end_headers()
        self.wfile.write(data)


def signed_by_us(method, target, headers, body):
    """Signature Version 4 as its documentation says, with the path as it came over the wire, encoded once more."""
    if headers.get("x-amz-security-token") != TOKEN:
        return False
    scheme, _, rest = headers.get("authorization", "").partition(" ")
    parts = dict(each.split("=", 1) for each in rest.replace(" ", "").split(","))
    key, date, region, service, last = parts["Credential"].split("/")
    if (scheme, key, region, service, last) != ("AWS4-HMAC-SHA256", ACCESS_KEY, REGION, "execute-api", "aws4_request"):
        return False
    url = urlsplit(target)
    names = parts["SignedHeaders"].split(";")
    canonical = "\n".join(
        [
            method,
            quote(url.path, safe="/~"),
            "&".join(sorted(url.query.split("&"))),
            *(f"{name}:{' '.join(headers[name].split())}" for name in names),
            "",
            ";".join(names),
            hashlib.sha256(body).hexdigest(),
        ]
    )
    scope = f"{date}/{region}/{service}/aws4_request"
    text = "\n".join([scheme, headers["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
    secret = f"AWS4{SECRET_KEY}".encode()
    for each in (date, region, service, "aws4_request"):
        secret = hmac.digest(secret, each.encode(), "sha256")
    return hmac.compare_digest(hmac.digest(secret, text.encode(), "sha256").hex(), parts["Signature"])
