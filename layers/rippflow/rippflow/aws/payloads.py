"""Objects in the result bucket."""

from __future__ import annotations

from dataclasses import dataclass
from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING

from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

from rippflow.aws.faults import code_of, unavailable
from rippflow.errors import TooLarge
from rippflow.limits import KIB

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed import WriteableBuffer
    from mypy_boto3_s3 import S3Client

_PART_BYTES = 8 * KIB * KIB
# boto3's threads would hold ten parts of every stream.
_IN_PARTS = TransferConfig(multipart_threshold=_PART_BYTES, multipart_chunksize=_PART_BYTES, use_threads=False)


@dataclass(frozen=True, slots=True)
class S3Payloads:
    """`ports.Payloads`."""

    s3: S3Client
    bucket: str

    def put(self, key: str, body: bytes) -> str:
        """Store under a key that its content's dispatch determines; a repetition writes the same."""
        with unavailable("the object cannot be stored"):
            self.s3.put_object(Bucket=self.bucket, Key=key, Body=body, ServerSideEncryption="AES256")
        return f"s3://{self.bucket}/{key}"

    def put_stream(self, key: str, chunks: Iterable[bytes]) -> str:
        """As `put`, of what the chunks add up to; if they raise, nothing is stored. Holds two parts of it."""
        with unavailable("the object cannot be stored"):
            self.s3.upload_fileobj(
                BufferedReader(_Chunks(chunks)),
                self.bucket,
                key,
                ExtraArgs={"ServerSideEncryption": "AES256"},
                Config=_IN_PARTS,
            )
        return f"s3://{self.bucket}/{key}"

    def get(self, key: str, max_bytes: int) -> bytes | None:
        """The object; None if missing. Reads no more than `max_bytes` and one; raises TooLarge."""
        with unavailable("the object cannot be read"):
            try:
                answer = self.s3.get_object(Bucket=self.bucket, Key=key, Range=f"bytes=0-{max_bytes}")
            except ClientError as error:
                # The poller may list the bucket, so that S3 answers 404 and not 403 for a missing key. An empty object
                # has no range.
                if code_of(error) in {"NoSuchKey", "404"}:
                    return None
                if code_of(error) == "InvalidRange":
                    return b""
                raise
            body = answer["Body"].read()
        if len(body) > max_bytes:
            message = f"{key} is larger than {max_bytes} bytes"
            raise TooLarge(message)
        return body


class _Chunks(RawIOBase):
    """The chunks as a file, each made when it is read."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        super().__init__()
        self._chunks, self._rest = iter(chunks), memoryview(b"")

    def readable(self) -> bool:
        """For BufferedReader."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """As much of one chunk as fits; 0 at the end."""
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        into = memoryview(buffer)
        size = min(len(into), len(self._rest))
        into[:size], self._rest = self._rest[:size], self._rest[size:]
        return size
