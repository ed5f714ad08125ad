"""The policy documents of a template as they are deployed: after SAM's transform, intrinsics as plausible values."""

from __future__ import annotations

import json
import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from cfnlint.decode import cfn_yaml
from cfnlint.template.transforms._sam import Transform

from embedded.emulator import ACCOUNT, REGION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any

VERSION = "2012-10-17"
_PSEUDO = {"AWS::Partition": "aws", "AWS::Region": REGION, "AWS::AccountId": ACCOUNT, "AWS::StackName": "orders"}
_ARNS = {
    "AWS::DynamoDB::Table": f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/%s",
    "AWS::Events::Rule": f"arn:aws:events:{REGION}:{ACCOUNT}:rule/%s",
    "AWS::IAM::Role": f"arn:aws:iam::{ACCOUNT}:role/%s",
    "AWS::Lambda::Alias": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:%s:live",
    "AWS::Lambda::Function": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:%s",
    "AWS::S3::Bucket": "arn:aws:s3:::%s",
    "AWS::SQS::Queue": f"arn:aws:sqs:{REGION}:{ACCOUNT}:%s",
}
"""What `!GetAtt X.Arn` is; a type that is missing here stops the collection."""


def of_template(path: Path) -> dict[str, Any]:
    """Every policy document of a SAM template, by where it stands."""
    transform = Transform(str(path), cfn_yaml.load(str(path)), REGION)
    problems = transform.transform_template()
    assert not problems, problems
    return dict(_documents(transform.template()))


def of_page(path: Path) -> dict[str, Any]:
    """Every policy document that a Markdown page shows: single statements in JSON, properties of roles in YAML."""
    found: dict[str, Any] = {}
    for number, (kind, text) in enumerate(re.findall(r"```(json|yaml)\n(.*?)```", path.read_text("utf-8"), re.DOTALL)):
        if '"Effect"' in text and kind == "json":
            known = text.replace("REGION", REGION).replace("ACCOUNT", ACCOUNT)
            found[f"block{number}"] = {"Version": VERSION, "Statement": [json.loads(known)]}
        elif "Effect:" in text:
            role = {"Type": "AWS::IAM::Role", "Properties": cfn_yaml.loads(text)}
            found |= _documents({"Resources": {f"block{number}": role}})
    return found


def _documents(template: Any) -> Iterator[tuple[str, Any]]:
    known = _Values(template)
    for name, resource in template["Resources"].items():
        match resource["Type"]:
            case "AWS::IAM::Role":
                properties = known.resolve(resource["Properties"])
                yield f"{name}.trust", _on(properties["AssumeRolePolicyDocument"], known.arn(name))
                for policy in properties.get("Policies", []):
                    yield f"{name}.{policy['PolicyName']}", policy["PolicyDocument"]
            case "AWS::Lambda::Permission":
                yield name, _permission(known.resolve(resource["Properties"]))
            case other:
                # A type whose policies nobody reads would never be linted.
                assert not re.search(r"Policy$", other), other
                assert not {key for key in resource.get("Properties", {}) if key.endswith("PolicyDocument")}, name


def _on(trust: Any, role: str) -> Any:
    """A trust policy, whose resource is the role that has it, with that said: the linter wants to read it."""
    return {**trust, "Statement": [{**each, "Resource": role} for each in trust["Statement"]]}


def _permission(properties: Any) -> Any:
    """The statement that Lambda makes of a permission."""
    principal = properties["Principal"]
    statement = {
        "Effect": "Allow",
        "Principal": {"Service" if principal.endswith(".amazonaws.com") else "AWS": principal},
        "Action": properties["Action"],
        "Resource": properties["FunctionName"],
    }
    if "SourceArn" in properties:
        statement["Condition"] = {"ArnLike": {"AWS:SourceArn": properties["SourceArn"]}}
    return {"Version": VERSION, "Statement": [statement]}


class _Values:
    """What intrinsic functions of one template stand for."""

    def __init__(self, template: Any) -> None:
        self.types = {name: each["Type"] for name, each in template["Resources"].items()}
        defaults = {name: each.get("Default") for name, each in template.get("Parameters", {}).items()}
        self.parameters = {name: value for name, value in defaults.items() if value}

    def arn(self, name: str) -> str:
        return _ARNS[self.types[name]] % name.lower()

    def named(self, name: str, inner: Mapping[str, str] = MappingProxyType({})) -> str:
        """What `${name}` stands for."""
        if name in inner:
            return inner[name]
        if name in _PSEUDO:
            return _PSEUDO[name]
        resource, _, attribute = name.partition(".")
        if resource in self.types:
            # SAM refers to functions and aliases by Ref where an ARN is taken as well.
            return self.arn(resource) if attribute == "Arn" or "Lambda" in self.types[resource] else resource.lower()
        if name.endswith("Arn"):
            return f"arn:aws:iam::{ACCOUNT}:role/{name}"
        return self.parameters.get(name, name.lower())

    def resolve(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.resolve(each) for each in value]
        return self._function(dict(value)) if isinstance(value, dict) else value

    def _function(self, value: dict[str, Any]) -> Any:
        match value:
            case {"Ref": name}:
                return self.named(name)
            case {"Fn::GetAtt": [name, "Arn"]}:
                return self.arn(name)
            case {"Fn::Sub": [text, inner]}:
                return self._sub(text, self.resolve(inner))
            case {"Fn::Sub": text}:
                return self._sub(text, {})
        assert not [key for key in value if key.startswith("Fn::")], value
        return {key: self.resolve(each) for key, each in value.items()}

    def _sub(self, text: str, inner: Mapping[str, str]) -> str:
        return re.sub(r"\$\{([^}!]+)\}", lambda found: self.named(found[1], inner), text)
