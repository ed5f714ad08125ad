"""The business input of a dispatch, from the payloads of the attempts that feed it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from rippflow.engine.codec import decode
from rippflow.engine.inputs import compose, gathers, overrides_of, previous_payload, sources
from rippflow.errors import Unavailable
from rippflow.limits import INLINE_FAN_IN_BYTES
from rippflow.operations.reading import in_order
from rippflow.operations.work import identity, shard_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rippflow.contract.documents import Json
    from rippflow.operations.workflows import Workflow
    from rippflow.ports import Claims, Executions, Payloads
    from rippflow.records import Intent, Result, Work

    Attempt = tuple[str, str, int, int]
    Feed = Mapping[str, list[Attempt]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feeding:
    """Composes inputs; its reads happen before the claim, so that a fault in them costs no attempt."""

    executions: Executions
    claims: Claims
    payloads: Payloads

    def input_of(self, workflow: Workflow, intent: Intent, work: Work, dispatch_id: str) -> Json:
        """Previous payload, phase inputs over it, rework overrides last."""
        plan = workflow.plan
        index = plan.index[work.phase]
        feed: Feed = {}
        if plan.requires[index]:
            feed = (
                self._feed_of_state(workflow, intent, work)
                if work.sources is None
                else {name: [(name, *source)] for name, source in work.sources.items()}
            )
        gathered = {name: feeding for name, feeding in feed.items() if gathers(plan, index, plan.index[name])}
        single = [attempt for name, feeding in feed.items() if name not in gathered for attempt in feeding]
        payloads = {name: text for name, _, text in self._texts(workflow, work, single)}

        def payload_of(name: str) -> Json:
            if name in gathered:
                return self._gathered(workflow, work, name, gathered[name], dispatch_id)
            return json.loads(payloads[name])

        cause = None if work.cause is None else (plan.index[work.cause[0]], work.cause[1])
        previous = previous_payload(plan, index, intent.input, payload_of)
        return compose(previous, plan.phases[index].inputs, overrides_of(plan, cause))

    def _feed_of_state(self, workflow: Workflow, intent: Intent, work: Work) -> Feed:
        stored = self.executions.state(work.key)
        if stored is None:
            message = f"execution {work.key.execution_id} has no state yet"
            raise Unavailable(message)
        plan = workflow.plan
        state = decode(plan, stored.body)
        return {
            name: [
                (name, shard_id(workflow, intent.shards, source.phase, source.shard), source.loop, source.attempt)
                for source in feeding
            ]
            for name, feeding in sources(plan, state, plan.index[work.phase], work.shard_index).items()
        }

    def _texts(self, workflow: Workflow, work: Work, feeding: list[Attempt]) -> Iterator[tuple[str, str, str]]:
        """Phase, shard and payload JSON text of these attempts, in their order, a hundred in memory."""
        wanted = (identity(workflow, work.key, *attempt) for attempt in feeding)
        for (name, shard, _, _), claim in zip(feeding, in_order(self.claims, work.key, wanted), strict=True):
            if claim is None:
                which = f"shard {shard} of {name}" if shard else name
                message = f"the claim of {which}, which feeds {work.phase}, cannot be read"
                raise Unavailable(message)
            yield name, shard, _text_of(claim.result)

    def _gathered(self, workflow: Workflow, work: Work, name: str, feeding: list[Attempt], dispatch_id: str) -> Json:
        """A per-shard phase at a fan-in: an object by shard id, or a pointer to JSON Lines of it.

        Ten fan-ins of a gigabyte may run in one Dispatcher, so lines are stored while the next are read.
        """
        texts = ((shard, text) for _, shard, text in self._texts(workflow, work, feeding))
        inline: dict[str, str] = {}
        size = 0
        for shard, text in texts:
            inline[shard] = text
            size += len(text)
            if size > INLINE_FAN_IN_BYTES:
                break
        else:
            return {shard: json.loads(text) for shard, text in inline.items()}
        lines = (
            f'{{"shard":{json.dumps(shard)},"payload":{text}}}\n'.encode()
            for shard, text in chain(inline.items(), texts)
        )
        pointer = self.payloads.put_stream(f"fan-in/{dispatch_id}/{name}.jsonl", lines)
        return {"pointer": pointer, "format": "jsonl", "shards": len(feeding)}


def _text_of(result: Result | None) -> str:
    if result is not None and result.payload_json is None and result.pointer is not None:
        return json.dumps({"pointer": result.pointer})
    return "null" if result is None else result.payload_json or "null"
