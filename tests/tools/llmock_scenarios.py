"""Plays llmock's faults to a client and prints its verdict on each: scenarios.py CLIENT."""

import json
import subprocess
import sys

from llmock.scenarios import Delay, Fail, Reply, StreamFault, ToolCall, ToolFault
from llmock.testing import LLMockServer
from llmock.verdict import judge

CLIENT = sys.argv[1]
WIRES = [("anthropic", "/anthropic"), ("chat", "/v1"), ("responses", "/v1")]
CALL = Reply(tool_calls=(ToolCall("read_file", {"path": "setup.py", "why": "é" * 40}),))


def read_file(turn):
    return turn["calls"][0]["arguments"] == {"json": {"path": "setup.py", "why": "é" * 40}} and turn["end"] == "tool_use"


def broken(turn):
    return "broken" in turn["calls"][0]["arguments"]


# name, behaviours, options of the client, what must hold of the turn (None: the client must fail)
SCENARIOS = [
    ("a tool call", [CALL], [], read_file),
    ("429 with Retry-After, twice", [Fail(429, retry_after=1, times=2), CALL], [], read_file),
    ("529", [Fail(529), CALL], [], read_file),
    ("500, 502, 503", [Fail(500), Fail(502), Fail(503), CALL], [], read_file),
    ("401", [Fail(401, times=None)], [], None),
    ("400", [Fail(400, times=None)], [], None),
    ("429 without end", [Fail(429, times=None)], ["retries", "2"], None),
    ("a late answer", [Delay(2), CALL], [], read_file),
    ("an unknown tool", [ToolFault("unknown_tool")], [], lambda t: t["calls"][0]["name"] != "read_file"),
    ("broken arguments", [ToolFault("malformed_arguments")], [], broken),
    ("length", [Reply(text="half an ans", finish_reason="length")], [], lambda t: t["end"] == "truncated"),
]
STREAMED = [
    (f"{kind} after {n} chunks", [StreamFault(kind, after_chunks=n, stall_seconds=4), CALL, CALL], ["idle", "2"], read_file)
    for kind in ("disconnect", "truncate", "stall", "malformed")
    for n in (0, 1, 3)
]


def main():
    bad = 0
    with LLMockServer() as server:
        root = server.base_url("openai").removesuffix("/v1")
        for wire, path in WIRES:
            for mode in ("streamed", "plain"):
                for name, behaviours, options, holds in SCENARIOS + (STREAMED if mode == "streamed" else []):
                    if (wire, mode, name) == ("anthropic", "plain", "broken arguments"):
                        continue  # that form holds an object, and llmock leaves it empty
                    server.state.reset()
                    server.state.scenarios.add(*behaviours)
                    argv = [CLIENT, wire, root + path, "mock", *options, *(["plain"] if mode == "plain" else [])]
                    ran = subprocess.run(argv, capture_output=True, text=True, timeout=120)
                    fine = ran.returncode == (1 if holds is None else 0)
                    fine = fine and (holds is None or holds(json.loads(ran.stdout)))
                    verdict = judge(server.state.journal.records(wait=2.0))
                    fine = fine and verdict.passed and not verdict.warnings
                    bad += not fine
                    print(f"{'ok  ' if fine else 'FAIL'} {wire} {mode}: {name} ({verdict.attempts} attempts)")
                    if not fine:
                        print(ran.stdout, ran.stderr, verdict.render())
    print(f"{bad} failed")
    return bool(bad)


sys.exit(main())
