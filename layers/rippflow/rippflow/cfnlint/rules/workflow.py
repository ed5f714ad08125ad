"""One cfn-lint rule a kind of finding of `rippflow.template_check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfnlint.rules import CloudFormationLintRule, RuleMatch

from rippflow.template_check import TYPE, Rule, check_resource

if TYPE_CHECKING:
    from cfnlint import Template


class _WorkflowRule(CloudFormationLintRule):  # type: ignore[misc]
    """Looks at every workflow resource for findings of its own kind."""

    kind: Rule
    source_url = ""
    tags = ["rippflow"]  # noqa: RUF012 (cfn-lint's own protocol)

    def match(self, cfn: Template) -> list[RuleMatch]:
        """The findings with their places in the template."""
        return [
            RuleMatch(list(finding.path), finding.message)
            for name, resource in cfn.get_resources(TYPE).items()
            for finding in check_resource(resource, ("Resources", name))
            if finding.rule is self.kind
        ]


class WorkflowDocument(_WorkflowRule):
    """E9101."""

    id = "E9101"
    kind = Rule.DOCUMENT
    shortdesc = "The workflow is one that the provider publishes"
    description = "Holds Custom::RippflowWorkflow to the schemas and rules that the provider itself uses"


class WorkflowServiceTimeout(_WorkflowRule):
    """W9102."""

    id = "W9102"
    kind = Rule.SERVICE_TIMEOUT
    shortdesc = "The workflow has a ServiceTimeout"
    description = "Without one, a lost answer holds the stack for an hour"


class WorkflowRetention(_WorkflowRule):
    """W9103."""

    id = "W9103"
    kind = Rule.RETENTION
    shortdesc = "RetainDeployment and the policies agree"
    description = "A retained resource gets no Delete, so its deployment is never revoked"


class WorkflowUnquoted(_WorkflowRule):
    """W9104."""

    id = "W9104"
    kind = Rule.UNQUOTED
    shortdesc = "Text that YAML reads as something else is quoted"
    description = "version: 1.10 is the number 1.1, and on is a boolean"


class WorkflowBusinessInputs(_WorkflowRule):
    """W9105."""

    id = "W9105"
    kind = Rule.BUSINESS_INPUTS
    shortdesc = "Business inputs keep their types"
    description = "CloudFormation sends every scalar as text; a JSON string keeps numbers and booleans"
