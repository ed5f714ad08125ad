"""A certificate authority of this installation alone, and the bundle that makes every client trust it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import certifi
import trustme

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """Paths of PEM files: the server's certificate and key, and a bundle of public roots plus our own."""

    certificate: Path
    key: Path
    bundle: Path


def issue(directory: Path) -> Certificates:
    """Certificates for this host by all its names here, written below the directory; an existing set is used again."""
    made = Certificates(
        certificate=directory / "server.pem", key=directory / "server.key", bundle=directory / "roots.pem"
    )
    if made.bundle.exists():
        return made
    directory.mkdir(parents=True, exist_ok=True)
    authority = trustme.CA()
    server = authority.issue_cert("localhost", "127.0.0.1", "*.localhost", "host.docker.internal")
    server.private_key_pem.write_to_path(made.key)
    made.key.chmod(0o600)
    for number, blob in enumerate(server.cert_chain_pems):
        blob.write_to_path(made.certificate, append=number > 0)
    roots = certifi.contents().encode() + authority.cert_pem.bytes()
    made.bundle.write_bytes(roots)
    return made
