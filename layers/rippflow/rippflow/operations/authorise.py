"""Who may do what: the one place where a grant is asked.

Without any grant in the tenant and namespace a caller is told the same as if nothing existed (404); with a grant that
lacks the operation or a binding, 403.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow.contract.grants import covers
from rippflow.contract.problems import Problem, pointer
from rippflow.errors import Forbidden, NotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rippflow.contract.documents import Binding
    from rippflow.contract.grants import Grant
    from rippflow.ports import Deployments, Grants
    from rippflow.records import Published


def nothing_here(what: str) -> NotFound:
    """The one answer for "does not exist" and "not yours to know"."""
    return NotFound(
        f"{what} does not exist, or you hold no grant in its tenant and namespace; "
        "an installation administrator can add one with `rippflow grants put`"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """Decides by the current grants, read at each use."""

    grants: Grants
    deployments: Deployments

    def require(
        self,
        principal: str,
        tenant_id: str,
        namespace: str,
        operation: str,
        *,
        bindings: Mapping[str, Binding] | None = None,
        what: str | None = None,
    ) -> Grant:
        """The principal's grant if it has the operation and covers every binding.

        Raises NotFound without a grant, Forbidden (with a pointer a binding) if it does not suffice.
        """
        grant = self.grants.find(principal, tenant_id, namespace)
        if grant is None:
            raise nothing_here(what or f"tenant {tenant_id}, namespace {namespace}")
        if operation not in grant.operations:
            message = (
                f"{principal} has no {operation} permission in tenant {tenant_id}, namespace {namespace}; "
                f"its grant allows {', '.join(sorted(grant.operations)) or 'nothing'}"
            )
            raise Forbidden(message)
        refused = [
            Problem(
                pointer("bindings", phase),
                "binding_not_approved",
                "this combination of target and roles is not among the grant's approved bindings; "
                "have an administrator approve exactly these ARNs",
            )
            for phase, binding in (bindings or {}).items()
            if not covers(grant, binding)
        ]
        if refused:
            message = f"{principal} may not {operation} with {len(refused)} of these bindings"
            raise Forbidden(message, refused)
        return grant

    def deployment(self, principal: str, deployment_id: str, operation: str) -> Published:
        """The deployment if the principal may do this to it; NotFound and Forbidden as in `require`."""
        what = f"deployment {deployment_id}"
        published = self.deployments.load(deployment_id)
        if published is None:
            raise nothing_here(what)
        self.require(principal, published.tenant_id, published.namespace, operation, what=what)
        return published
