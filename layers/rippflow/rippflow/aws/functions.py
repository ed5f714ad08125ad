"""Lambda: one synchronous Invoke on the wire, and the facts of a published version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from rippflow.aws.clients import DISPATCH, STORAGE
from rippflow.aws.faults import classify
from rippflow.contract.arns import parse
from rippflow.errors import Unavailable
from rippflow.ports import Ambiguous, Answered, FunctionFacts, Rejected

if TYPE_CHECKING:
    from botocore.config import Config

    from rippflow.aws.clients import Clients
    from rippflow.ports import Answer, Session


@dataclass(frozen=True, slots=True)
class LambdaFunctions:
    """`ports.Functions`."""

    clients: Clients

    def invoke(self, session: Session, function_arn: str, body: bytes) -> Answer:
        """RequestResponse, exactly one request."""
        try:
            answer = self._client(session, function_arn, DISPATCH).invoke(
                FunctionName=function_arn, InvocationType="RequestResponse", Payload=body
            )
            payload = answer["Payload"].read()
        except (ClientError, BotoCoreError) as error:
            return classify(error)
        return Answered(body=payload, function_error=answer.get("FunctionError"))

    def describe(self, session: Session, function_arn: str) -> FunctionFacts | Rejected:
        """GetFunctionConfiguration of the qualified ARN."""
        try:
            answer = self._client(session, function_arn, STORAGE).get_function_configuration(FunctionName=function_arn)
        except (ClientError, BotoCoreError) as error:
            meaning = classify(error)
            if isinstance(meaning, Ambiguous) or meaning.throttled:
                message = f"{function_arn} cannot be looked at now"
                raise Unavailable(message) from error
            return meaning
        return FunctionFacts(
            version=answer["Version"],
            # Emulators and very old functions leave State out; AWS documents absence as Active.
            state=answer.get("State", "Active"),
            timeout_secs=answer["Timeout"],
            execution_role_arn=answer["Role"],
        )

    def _client(self, session: Session, function_arn: str, config: Config) -> Any:
        return self.clients.of(session, "lambda", config, parse(function_arn).region)
