"""An agent in the Python standard library alone: it talks to `kestrel agent` over pipes.

    python3 examples/agents/agent.py kestrel agent
"""

import json
import subprocess
import sys

PLAN = """PLAN dip budget 0.3R ttl 15:30
  WHEN spot < VWAP - 10bps held 30s
  DO buy 10 shares @ ask + 1c
  TP 1.001x @ bid
  INVALIDATE T-30 -> flat
"""


class Refused(Exception):
    """The refusal that ended the stream."""

    def __init__(self, refusal):
        super().__init__(f"{refusal['code']}: {refusal['message']}")
        self.refusal = refusal


class Kestrel:
    """One stream of requests to a child process."""

    def __init__(self, command):
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, op, **args):
        """Sends one request and waits for its answer."""
        try:
            self.child.stdin.write(json.dumps({"op": op, **args}) + "\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            pass
        line = self.child.stdout.readline()
        if line == "":
            complaint = self.child.stderr.read().strip().splitlines()
            raise Refused(json.loads(complaint[-1])["refusal"] if complaint else {"code": "ended", "message": ""})
        return json.loads(line)["value"]

    def close(self):
        self.child.stdin.close()
        return self.child.wait()


def play(kestrel, subject):
    """Plays a subject to its end and returns what it made."""
    kestrel.ask("openSession", subject=subject)
    delivery = kestrel.ask("start")
    response = {"kind": "authored", "document": PLAN}
    slots = []
    while True:
        slots.append(f"{delivery['frame']['clock']} {delivery['why']}")
        answer = kestrel.ask("advance", response=response)
        if answer["turn"]["verdict"] == "refused":
            raise SystemExit("; ".join(d["message"] for d in answer["turn"]["diagnostics"]))
        if answer["state"] == "ended":
            break
        delivery = answer["delivery"]
        response = {"kind": "pass"}
    end = kestrel.ask("finalize")
    return {"slots": slots, "tipHash": end["tipHash"], "netR": end["blotter"]["totals"]["netR"]}


if __name__ == "__main__":
    stream = Kestrel(sys.argv[1:] or ["kestrel", "agent"])
    print(json.dumps(play(stream, {"kind": "catalog", "id": "trend-up-strict"})))
    sys.exit(stream.close())
