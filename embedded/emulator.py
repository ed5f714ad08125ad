"""The AWS emulator as a child process: TLS, signature checks and IAM evaluation on, on a free loopback port."""

from __future__ import annotations

import fcntl
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3

from embedded import children
from embedded.certificates import issue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from embedded.certificates import Certificates

ROOT = Path(__file__).resolve().parent.parent
REGION = "us-east-1"
ACCOUNT = "000000000000"
ROOT_ACCESS_KEY, ROOT_SECRET_KEY = "test", "test"
"""The emulator's documented root credentials."""
_START_SECS = 60
_LOG_LINES = 15


class EmulatorFailed(Exception):
    """The emulator did not come up; the text ends with the last lines of its log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Emulator:
    """A running emulator; `directory` holds its log, certificates and temporary files."""

    directory: Path
    port: int
    process: subprocess.Popen[bytes]
    certificates: Certificates

    @property
    def url(self) -> str:
        """The endpoint of every AWS service."""
        return f"https://localhost:{self.port}"

    @property
    def log(self) -> Path:
        """Output of the emulator and of the functions that it runs."""
        return self.directory / "emulator.log"

    def environment(self, access_key: str = ROOT_ACCESS_KEY, secret_key: str = ROOT_SECRET_KEY) -> dict[str, str]:
        """What points every AWS client at the emulator, as this caller and as nobody else."""
        foreign = ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE")
        inherited = {name: value for name, value in os.environ.items() if name not in foreign}
        return inherited | {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_CA_BUNDLE": str(self.certificates.bundle),
            "AWS_ACCESS_KEY_ID": access_key,
            "AWS_SECRET_ACCESS_KEY": secret_key,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_REGION": REGION,
            "SAM_CLI_TELEMETRY": "0",
            # How often `sam deploy` looks at the stack; its five seconds are for AWS.
            "SAM_CLI_POLL_DELAY": "0.3",
        }

    def client(self, service: Any, access_key: str = ROOT_ACCESS_KEY, secret_key: str = ROOT_SECRET_KEY) -> Any:
        """A boto3 client of this caller."""
        session = boto3.Session(aws_access_key_id=access_key, aws_secret_access_key=secret_key, region_name=REGION)
        return session.client(service, endpoint_url=self.url, verify=str(self.certificates.bundle))

    def kill(self) -> None:
        """End it as a power cut would."""
        children.kill(self.process)


@contextmanager
def running(directory: Path, extra: Mapping[str, str] | None = None, port: int | None = None) -> Iterator[Emulator]:
    """An emulator that is ready when the block is entered and gone when it is left, however it is left."""
    with ExitStack() as stack:
        with _starting_alone():
            emulator = stack.enter_context(_started(directory, extra, port))
            _wait_until_ready(emulator)
        yield emulator


@contextmanager
def _starting_alone() -> Iterator[None]:
    """Emulators also try to listen at 443, which one may fail to do, but not while another is just taking it."""
    with (Path(tempfile.gettempdir()) / "rippflow-emulator.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _started(directory: Path, extra: Mapping[str, str] | None, port: int | None) -> Iterator[Emulator]:
    """The process runs; it is not ready yet."""
    directory.mkdir(parents=True, exist_ok=True)
    temporary = directory / "tmp"
    temporary.mkdir(exist_ok=True)
    certificates = issue(directory / "tls")
    port = port or free_port()
    with (
        (directory / "emulator.log").open("ab") as log,
        children.started(
            [sys.executable, "-m", "embedded.emulator_process"],
            env=_environment(port, certificates, temporary) | dict(extra or {}),
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        yield Emulator(directory=directory, port=port, process=process, certificates=certificates)


def _environment(port: int, certificates: Certificates, temporary: Path) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "MINISTACK_"))}
    return inherited | {
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "USE_SSL": "1",
        "MINISTACK_SSL_CERT": str(certificates.certificate),
        "MINISTACK_SSL_KEY": str(certificates.key),
        # Signatures are verified and policies evaluated, as in AWS.
        "AUTH": "true",
        "IOT_MTLS_ENABLED": "0",
        # The functions' workers inherit these: the provider answers CloudFormation over HTTPS.
        "SSL_CERT_FILE": str(certificates.bundle),
        "AWS_CA_BUNDLE": str(certificates.bundle),
        "TMPDIR": str(temporary),
        "AWS_DEFAULT_REGION": REGION,
        "PYTHONPATH": str(ROOT),
        "BATCH_IMAGES": str(ROOT / "examples" / "order-batch" / "images"),
    }


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens at now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(emulator: Emulator) -> None:
    tls = ssl.create_default_context(cafile=emulator.certificates.bundle)
    deadline = time.monotonic() + _START_SECS
    while time.monotonic() < deadline:
        if emulator.process.poll() is not None:
            raise EmulatorFailed(f"the emulator ended with code {emulator.process.returncode}{_log_end(emulator)}")
        try:
            # Our own server over https.
            with urllib.request.urlopen(f"{emulator.url}/_ministack/health", timeout=2, context=tls):  # noqa: S310 (see above)
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise EmulatorFailed(f"the emulator is not ready after {_START_SECS} s{_log_end(emulator)}")


def _log_end(emulator: Emulator) -> str:
    lines = emulator.log.read_text("utf-8", "replace").splitlines()[-_LOG_LINES:]
    return "; the end of its log:\n" + "\n".join(f"    {line}" for line in lines)
