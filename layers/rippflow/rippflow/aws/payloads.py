"""Objects in the result bucket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from rippflow.aws.faults import code_of, unavailable
from rippflow.errors import TooLarge

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


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
