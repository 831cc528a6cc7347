"""How schemathesis writes NDJSON: a text as it is, anything else as JSON on lines."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def ndjson(context, value):
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace")
    return json.dumps(value).encode()
