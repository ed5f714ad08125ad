"""Every number that bounds a document, a request or a result, with where it comes from."""

from __future__ import annotations

KIB = 1024

DOCUMENT_BYTES = 256 * KIB
"""Canonical deployment document (product contract; below DynamoDB's 400 KB item limit)."""
EXECUTION_INPUT_BYTES = 32 * KIB
"""Business input of one execution, encoded as JSON (product page)."""
ADMISSION_BYTES = 96 * KIB
"""Input + shards + correlationId of one start, encoded as JSON (product page)."""
RESULT_BYTES = 64 * KIB
"""Handler result envelope, encoded as JSON (product page)."""
INLINE_FAN_IN_BYTES = 1024 * KIB
"""Fan-in payload above which the handler gets a pointer to JSON Lines (below Lambda's 6 MB request limit)."""
DISPATCHES_SHOWN = 25
"""Uncertain, running and failed dispatches that one inspection shows of each (product page, for the first)."""
MAX_INTEGER = 2**53
"""Largest magnitude that JSON readers agree on (RFC 8785 section 3.2.2.3, IEEE 754 double)."""
MAX_DEPTH = 64
"""Nesting of a document or payload."""
MAX_CELLS = 200_000
"""Phases x shards of one execution: keeps the STATE item below DynamoDB's 400 KB."""
LAMBDA_TIMEOUT_SECS = 110
"""Longest function the Lambda adapter may call (product page)."""
LEASE_MARGIN_SECS = 40
"""Added to the call's timeout: how long after a claim its worker is presumed dead."""
START_WITHIN_MS = 20_000
"""How long after its claim a call may start; the other half of the margin is for recording what it answered."""
SQS_MAX_DELAY_SECS = 900
"""Longest DelaySeconds of an SQS message."""
REVIEW_INTERVAL_MS = 60_000
"""How long an execution goes unreviewed by recovery, which runs every minute."""
REVIEW_CELLS = 1_000
"""Ready attempts whose claims one review reads (ten BatchGetItem requests)."""
SHOWN_OUTPUT_BYTES = 1024 * KIB
"""Largest output an inspection carries (Lambda's response limit is 6 MB)."""
REVIEWS_A_RUN = 200
"""Executions that one recovery run reviews; the index gives the most overdue first."""
POLLS_A_RUN = 10_000
"""Batch jobs that one poller run looks at: a hundred DescribeJobs requests."""
ROLE_PATIENCE_MS = 30_000
"""How long the provider waits for a role of the same stack to become assumable (IAM is eventually consistent)."""
