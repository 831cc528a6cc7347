"""How schemathesis writes NDJSON, and the rules of a request that JSON Schema has no words for."""

import json
import re

import schemathesis
from schemathesis.core import NOT_SET
from schemathesis.specs.openapi.checks import positive_data_acceptance

IF_MATCH = re.compile(r'\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*')


@schemathesis.serializer("application/x-ndjson")
def ndjson(context, value):
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace")
    return json.dumps(value).encode()


@schemathesis.check
def json_that_fits_is_accepted(context, response, case):
    """schemathesis's own check, for JSON bodies that also keep the rules which compare two fields."""
    # A precondition is about what stands, which no schema knows; and headers are made without a look at their pattern.
    match = (case.headers or {}).get("If-Match")
    if response.status_code == 412 or (match is not None and IF_MATCH.fullmatch(match) is None):
        return
    if case.body is NOT_SET or (case.media_type == "application/json" and keeps_rules(case.body)):
        positive_data_acceptance(context, response, case)


def keeps_rules(body):
    """In a rubric, min is less than max and ids are unique: a schema has no words for either."""
    rubric = body.get("rubric") if isinstance(body, dict) else None
    if not isinstance(rubric, dict):
        return True
    for name in ("dimensions", "failureModes", "wins"):
        entries = rubric.get(name, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            return True
        ids = [str(entry.get("id")) for entry in entries]
        if len(set(ids)) < len(ids):
            return False
        if name == "dimensions" and not all(is_range(entry.get("min", 0), entry.get("max", 1)) for entry in entries):
            return False
    return True


def is_range(low, high):
    return isinstance(low, (int, float)) and isinstance(high, (int, float)) and low < high
