"""Base URLs and the region that is signed for."""

from __future__ import annotations

import pytest

from rippflow.client import WrongEndpoint
from rippflow.client.endpoint import Endpoint


@pytest.mark.parametrize(
    ("url", "region"),
    [
        ("https://abc123.execute-api.eu-west-1.amazonaws.com/v1", "eu-west-1"),
        ("https://abc123-vpce-0f1.execute-api.us-east-1.amazonaws.com/v1", "us-east-1"),
        ("https://vpce-0f1-x.execute-api.us-east-2.vpce.amazonaws.com/v1", "us-east-2"),
        ("https://abc123.execute-api.us-gov-west-1.amazonaws.com/v1", "us-gov-west-1"),
        ("https://abc123.execute-api.cn-north-1.amazonaws.com.cn/v1", "cn-north-1"),
        ("https://workflows.example.com/v1", "ap-south-1"),
        ("https://localhost:4566/_aws/execute-api/abc123/v1", "ap-south-1"),
        ("http://127.0.0.1:4566/v1", "ap-south-1"),
    ],
)
def test_the_region_of_an_aws_host_wins_over_the_set_one(url, region):
    assert Endpoint.of(url, "ap-south-1").region == region


def test_the_path_of_the_url_is_kept_and_the_slash_at_its_end_dropped():
    endpoint = Endpoint.of(" https://localhost:1/_aws/execute-api/abc/v1/ ", "eu-west-1")
    assert endpoint.url(["capabilities"], {}) == "https://localhost:1/_aws/execute-api/abc/v1/capabilities"


def test_segments_and_values_are_percent_encoded():
    endpoint = Endpoint.of("https://x.example/v1", "eu-west-1")
    url = endpoint.url(["executions", "a/b:c ü?"], {"cursor": "a=&b+"})
    assert url == "https://x.example/v1/executions/a%2Fb%3Ac%20%C3%BC%3F?cursor=a%3D%26b%2B"


@pytest.mark.parametrize(
    "url", ["", "v1", "ftp://x/v1", "https://", "https://x:0/v1", "https://x:99999/v1", "https://x/#f"]
)
def test_what_is_no_base_url_is_refused_with_an_example(url):
    with pytest.raises(WrongEndpoint, match=r"https://ID\.execute-api"):
        Endpoint.of(url, "eu-west-1")


def test_a_host_without_a_region_needs_one():
    with pytest.raises(WrongEndpoint, match=r"x\.example names no region; set AWS_REGION"):
        Endpoint.of("https://x.example/v1", None)
