"""The business input of a dispatch, from the payloads of the attempts that feed it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow.engine.codec import decode
from rippflow.engine.inputs import compose, gathers, overrides_of, previous_payload, sources
from rippflow.errors import Unavailable
from rippflow.limits import INLINE_FAN_IN_BYTES
from rippflow.operations.work import identity, shard_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rippflow.contract.documents import Json
    from rippflow.operations.workflows import Workflow
    from rippflow.ports import Claims, Executions, Payloads
    from rippflow.records import Intent, Work

    Feed = Mapping[str, list[tuple[str, int, int]]]


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
        payloads: Mapping[tuple[str, str], str] = {}
        if plan.requires[index]:
            feed = (
                self._feed_of_state(workflow, intent, work)
                if work.sources is None
                else {name: [source] for name, source in work.sources.items()}
            )
            payloads = self._payloads(workflow, work, feed)

        def payload_of(name: str) -> Json:
            if gathers(plan, index, plan.index[name]):
                return self._gathered(name, feed, payloads, dispatch_id)
            return json.loads(payloads[name, feed[name][0][0]])

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
                (shard_id(workflow, intent.shards, source.phase, source.shard), source.loop, source.attempt)
                for source in feeding
            ]
            for name, feeding in sources(plan, state, plan.index[work.phase], work.shard_index).items()
        }

    def _payloads(self, workflow: Workflow, work: Work, feed: Feed) -> dict[tuple[str, str], str]:
        """Payload JSON text by (phase, shard)."""
        wanted = {
            identity(workflow, work.key, name, shard, loop, attempt): (name, shard)
            for name, feeding in feed.items()
            for shard, loop, attempt in feeding
        }
        found = self.claims.load(work.key, wanted)
        missing = wanted.keys() - found.keys()
        if missing:
            message = f"{len(missing)} of {len(wanted)} claims that feed {work.phase} cannot be read"
            raise Unavailable(message)
        texts: dict[tuple[str, str], str] = {}
        for identifier, place in wanted.items():
            result = found[identifier].result
            if result is None:
                texts[place] = "null"
            elif result.payload_json is None and result.pointer is not None:
                texts[place] = json.dumps({"pointer": result.pointer})
            else:
                texts[place] = result.payload_json or "null"
        return texts

    def _gathered(self, name: str, feed: Feed, payloads: Mapping[tuple[str, str], str], dispatch_id: str) -> Json:
        """A per-shard phase at a fan-in: an object by shard id, or a pointer to JSON Lines of it."""
        texts = {shard: payloads[name, shard] for shard, _, _ in feed[name]}
        if sum(len(text) for text in texts.values()) <= INLINE_FAN_IN_BYTES:
            return {shard: json.loads(text) for shard, text in texts.items()}
        lines = (f'{{"shard":{json.dumps(shard)},"payload":{text}}}\n' for shard, text in texts.items())
        pointer = self.payloads.put(f"fan-in/{dispatch_id}/{name}.jsonl", "".join(lines).encode())
        return {"pointer": pointer, "format": "jsonl", "shards": len(texts)}
