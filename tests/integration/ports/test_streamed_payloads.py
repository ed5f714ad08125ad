"""Objects that are stored while they are still being made."""

from __future__ import annotations

from collections import Counter

import boto3
import pytest
from botocore.awsrequest import AWSResponse

from rippflow.aws.clients import STORAGE
from rippflow.aws.payloads import S3Payloads
from rippflow.errors import Unavailable
from rippflow.limits import KIB

LINE = b"x" * (64 * KIB - 1) + b"\n"
KEY = "fan-in/d/item.jsonl"


class Refusal:
    """The empty body of an answer."""

    def stream(self):
        return iter(())


class Bucket:
    """A result bucket and what was asked of it."""

    def __init__(self):
        self.s3 = boto3.client("s3", config=STORAGE)
        self.s3.create_bucket(Bucket="results")
        self.requests = []
        self.s3.meta.events.register("before-call.s3", lambda model, params, **_: self._note(model, params))
        self.payloads = S3Payloads(self.s3, "results")

    def _note(self, model, params):
        self.requests.append((model.name, params["headers"].get("x-amz-server-side-encryption")))

    def stored(self):
        return [each["Key"] for each in self.s3.list_objects_v2(Bucket="results").get("Contents", [])]

    def unfinished(self):
        return self.s3.list_multipart_uploads(Bucket="results").get("Uploads", [])


@pytest.fixture
def bucket(aws):
    return Bucket()


def test_a_short_stream_is_one_request(bucket):
    assert bucket.payloads.put_stream(KEY, iter([b"one\n", b"two\n"])) == f"s3://results/{KEY}"
    assert bucket.requests == [("PutObject", "AES256")]
    assert bucket.payloads.get(KEY, 100) == b"one\ntwo\n"


def test_an_empty_stream_is_an_empty_object(bucket):
    bucket.payloads.put_stream(KEY, iter(()))
    assert bucket.payloads.get(KEY, 100) == b""


def test_a_long_stream_goes_in_parts_that_are_made_one_after_the_other(bucket):
    made_before_a_part = []

    def lines():
        for number in range(300):
            sent = sum(name == "UploadPart" for name, _ in bucket.requests)
            made_before_a_part.append(number - sent * 128)
            yield b"%05d" % number + LINE[5:]

    assert bucket.payloads.put_stream(KEY, lines()) == f"s3://results/{KEY}"
    assert Counter(name for name, _ in bucket.requests) == {
        "CreateMultipartUpload": 1,
        "UploadPart": 3,
        "CompleteMultipartUpload": 1,
    }
    assert bucket.requests[0] == ("CreateMultipartUpload", "AES256")
    # 128 lines are a part of 8 MiB; one part is read ahead to know whether there is more than one.
    assert max(made_before_a_part) <= 2 * 128
    body = bucket.payloads.get(KEY, 300 * 64 * KIB)
    assert body == b"".join(b"%05d" % number + LINE[5:] for number in range(300))


@pytest.mark.parametrize("made", [1, 200], ids=["in the first part", "in a later part"])
def test_a_stream_that_breaks_off_leaves_neither_an_object_nor_parts(bucket, made):
    def lines():
        yield from [LINE] * made
        raise Unavailable("a claim cannot be read")

    with pytest.raises(Unavailable, match="a claim cannot be read"):
        bucket.payloads.put_stream(KEY, lines())
    assert bucket.stored() == []
    assert bucket.unfinished() == []


def test_a_part_that_cannot_be_stored_is_unavailable_and_the_parts_before_it_are_removed(bucket):
    def second_is_refused(request, **_):
        if "partNumber=2" in request.url:
            return AWSResponse(request.url, 403, {}, Refusal())
        return None

    bucket.s3.meta.events.register_first("before-send.s3.UploadPart", second_is_refused)
    with pytest.raises(Unavailable, match="the object cannot be stored: 403"):
        bucket.payloads.put_stream(KEY, iter([LINE] * 200))
    assert bucket.stored() == []
    assert bucket.unfinished() == []


def test_a_missing_bucket_is_unavailable(bucket):
    with pytest.raises(Unavailable, match="the object cannot be stored: NoSuchBucket"):
        S3Payloads(bucket.s3, "gone").put_stream(KEY, iter([LINE]))
