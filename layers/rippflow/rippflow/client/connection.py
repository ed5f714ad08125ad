"""Build a Client from what the environment says: credentials, region, certificates and proxies as AWS tools do.

botocore is imported when a connection is made, so that `rippflow --help` does not wait for it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rippflow.aws.clock import SystemClock, SystemJitter
from rippflow.client.api import Client
from rippflow.client.endpoint import Endpoint
from rippflow.client.failures import NoCredentials

if TYPE_CHECKING:
    from collections.abc import Callable

    from botocore.credentials import Credentials
    from botocore.session import Session

TIMEOUT_SECS = 35
"""API Gateway answers or gives up within 29 s."""
_CONNECT_SECS = 5
_REMEDY = "set AWS_PROFILE to a profile, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"


def connect(
    url: str,
    *,
    profile: str | None = None,
    region: str | None = None,
    ca_bundle: str | None = None,
    timeout_secs: float = TIMEOUT_SECS,
    assumed_version: str | None = None,
    trace: Callable[[str], None] = lambda _line: None,
) -> Client:
    """A client of the installation at `url`; nothing is sent yet. Raises WrongEndpoint or NoCredentials.

    Without `profile`, `region` and `ca_bundle` AWS_PROFILE, AWS_REGION, AWS_CA_BUNDLE and the profile's settings hold,
    and HTTPS_PROXY and NO_PROXY always. The region in the URL's host name wins over all others.
    """
    from botocore.httpsession import URLLib3Session
    from botocore.session import Session
    from botocore.utils import get_environ_proxies

    from rippflow.client.transport import Transport

    session = Session(profile=profile)
    credentials = _credentials(session)
    set_region = region or os.environ.get("AWS_REGION") or session.get_config_variable("region")
    endpoint = Endpoint.of(url, set_region)
    bundle = ca_bundle or session.get_config_variable("ca_bundle") or os.environ.get("REQUESTS_CA_BUNDLE")
    http = URLLib3Session(
        # The stubs say less than the code takes.
        verify=bundle or True,  # type: ignore[arg-type]
        proxies=get_environ_proxies(endpoint.base),
        timeout=(min(_CONNECT_SECS, timeout_secs), timeout_secs),  # type: ignore[arg-type]
    )
    transport = Transport(
        endpoint=endpoint,
        credentials=credentials,
        http=http,
        clock=SystemClock(),
        jitter=SystemJitter(),
        trace=trace,
    )
    return Client(transport=transport, assumed_version=assumed_version)


def _credentials(session: Session) -> Credentials:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        credentials = session.get_credentials()
    except (BotoCoreError, ClientError) as error:
        message = f"the AWS credentials cannot be used: {error}; {_REMEDY}"
        raise NoCredentials(message) from error
    if credentials is None:
        message = f"no AWS credentials were found; {_REMEDY}"
        raise NoCredentials(message)
    return credentials
