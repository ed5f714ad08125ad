"""What botocore knows of the Batch API, so that requests and answers cannot drift from AWS."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from botocore.session import Session
from botocore.validate import ParamValidator

if TYPE_CHECKING:
    from botocore.model import OperationModel, ServiceModel, Shape

Detail = dict[str, Any]
"""A structure of the API with its own names, such as a JobDetail."""
_NOT_STARTED = {"startedAt": 0}
"""The model requires a JobDetail's startedAt, which AWS leaves out until the job starts."""


class ClientException(Exception):
    """What Batch answers with status 400 when the request is wrong."""


@cache
def service_model() -> ServiceModel:
    """Batch, API version 2016-08-10."""
    return Session().get_service_model("batch")


@cache
def operations() -> dict[str, OperationModel]:
    """Every operation of the API by its path."""
    models = (service_model().operation_model(name) for name in service_model().operation_names)
    return {model.http["requestUri"]: model for model in models if model.http["method"] == "POST"}


def check_request(operation: OperationModel, request: Any) -> None:
    """Raises ClientException if a client could not have sent this."""
    problems = _problems(request, operation.input_shape)
    if problems:
        raise ClientException(f"{operation.name}: {problems}")


def check_answer(operation: OperationModel, answer: Detail) -> None:
    """Raises AssertionError, which is a fault of this stand-in, if AWS could not have answered this."""
    if "jobs" in answer:
        answer = {**answer, "jobs": [_NOT_STARTED | job for job in answer["jobs"]]}
    problems = _problems(answer, operation.output_shape)
    if problems:
        raise AssertionError(f"the answer to {operation.name} is not one of Batch: {problems}")


def _problems(value: Any, shape: Shape | None) -> str:
    if shape is None:
        return ""
    report = ParamValidator().validate(value, shape)
    return str(report.generate_report()) if report.has_errors() else ""
