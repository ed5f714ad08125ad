"""The container engine that `sam local invoke` needs, and a way for its containers to the host's loopback."""

from __future__ import annotations

import os
import socket
import socketserver
import subprocess
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import docker
from docker.errors import DockerException

from embedded.installation import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HOST = "host.docker.internal"
"""The host's name inside a container; our certificates are for it too."""
SETUP = ROOT.parent / "shared" / "lambda-image" / "setup.sh"
_IP_FREEBIND = 15
"""Linux ip(7): bind an address that exists only once the first container runs."""
_CHUNK = 65_536


class NoContainerEngine(Exception):
    """`sam local invoke` runs containers; the text says how to get an engine."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A container engine that answers. `gateway` is the address under which its containers reach the host."""

    environment: Mapping[str, str]
    gateway: str

    @contextmanager
    def exposing(self, *ports: int) -> Iterator[None]:
        """Let containers reach these ports of 127.0.0.1 under HOST, and nobody else."""
        with ExitStack() as stack:
            for port in ports:
                server = stack.enter_context(_Forwarder(self.gateway, port))
                thread = threading.Thread(target=server.serve_forever)
                thread.start()
                stack.callback(thread.join)
                stack.callback(server.shutdown)
            yield


def find_engine() -> Engine:
    """The engine that answers; sets one up where the workplace has a script for it. Raises NoContainerEngine."""
    try:
        return _connect({})
    except DockerException as error:
        if not SETUP.exists():
            raise NoContainerEngine(
                "no container engine answers; start Docker or Podman, or set DOCKER_HOST"
            ) from error
    done = subprocess.run(["bash", str(SETUP)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoContainerEngine(f"{SETUP.name} failed:\n{done.stderr[-2000:]}")
    exported = done.stdout.strip().removeprefix("export ").split()
    try:
        return _connect(dict(each.split("=", 1) for each in exported))
    except DockerException as error:
        raise NoContainerEngine(f"{SETUP.name} set up a container engine that does not answer") from error


def _connect(environment: Mapping[str, str]) -> Engine:
    everything = {**os.environ, **environment}
    address = everything.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if address.startswith("unix://") and not Path(address.removeprefix("unix://")).is_socket():
        raise DockerException(f"nothing listens at {address}")
    client: Any = docker.from_env(environment=everything)
    try:
        # Podman's filter by name knows its own name for the network that it lists as `bridge`.
        bridges = [network for network in client.api.networks() if network["Name"] == "bridge"]
    finally:
        client.close()
    addresses = [each.get("Gateway") for bridge in bridges for each in bridge["IPAM"]["Config"]]
    gateway = next(filter(None, addresses), None)
    if gateway is None:
        raise NoContainerEngine("the container engine has no bridge network with a gateway; create one")
    return Engine(environment=environment, gateway=gateway)


class _Forwarder(socketserver.ThreadingTCPServer):
    """Bytes from gateway:port to 127.0.0.1:port and back."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, gateway: str, port: int) -> None:
        super().__init__((gateway, port), _Pipe, bind_and_activate=False)
        self.socket.setsockopt(socket.IPPROTO_IP, _IP_FREEBIND, 1)
        self.server_bind()
        self.server_activate()


class _Pipe(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        with socket.create_connection(("127.0.0.1", self.request.getsockname()[1])) as inner:
            back = threading.Thread(target=_copy, args=(inner, self.request), daemon=True)
            back.start()
            _copy(self.request, inner)
            back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    """Until the source is done; then the target is told."""
    try:
        while chunk := source.recv(_CHUNK):
            target.sendall(chunk)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        # One side went away in the middle: the other sees it by its own socket.
        source.close()
