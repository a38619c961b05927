"""Plays llmock's faults to a client that asks once, and to whole fixes, and prints its verdict on each:
scenarios.py CLIENT MEND."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from llmock.scenarios import Delay, Fail, Reply, StreamFault, ToolCall, ToolFault
from llmock.testing import LLMockServer
from llmock.verdict import judge

CLIENT, MEND = sys.argv[1:3]
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


PROJECT = {
    "report.md": "add subtracts\n\n`add(2, 3)` gives -1.\n",
    "project/adder/__init__.py": "from .sums import add\n",
    "project/adder/sums.py": "def add(a, b):\n    return a - b\n",
    "project/tests/__init__.py": "",
    "project/tests/test_sums.py": "import unittest\n\nfrom adder import add\n\n\nclass SumsTest(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n",
}
READ = Reply(tool_calls=(ToolCall("read_file", {"path": "adder/sums.py"}),))
EDITS = [{"old": "return a - b", "new": "return a + b"}]
FIX = Reply(tool_calls=(ToolCall("edit_file", {"path": "adder/sums.py", "edits": EDITS, "summary": "Adds."}),))

# name, behaviours, turns that the fix then takes, whether only streams can break so
WHOLE = [
    ("two turns", [READ, FIX], 2, False),
    ("429 with Retry-After, twice", [Fail(429, retry_after=1, times=2), READ, FIX], 2, False),
    ("529", [Fail(529), READ, FIX], 2, False),
    ("an unknown tool", [ToolFault("unknown_tool"), FIX, FIX], 2, False),
    ("broken arguments", [ToolFault("malformed_arguments"), FIX, FIX], 2, False),
    ("a stream that ends early", [StreamFault("truncate", after_chunks=2), FIX, FIX], 1, True),
    ("a stream that breaks", [StreamFault("disconnect", after_chunks=2), FIX, FIX], 1, True),
    ("a stream that stalls", [StreamFault("stall", after_chunks=2, stall_seconds=4), FIX, FIX], 1, True),
    ("a stream with a broken chunk", [StreamFault("malformed", after_chunks=2), FIX, FIX], 1, True),
]


def clean(verdict):
    """No finding but one: a short stream may be sent whole before the client hangs up on its broken chunk, and llmock
    then takes it as read to its end; that the client asked again shows that it was not."""
    findings = [f for f in verdict.findings if f.code != "malformed_chunk_ignored" or verdict.attempts < 2]
    return verdict.passed and not findings


def once(server, root, wire, path, mode):
    """The client that asks once."""
    for name, behaviours, options, holds in SCENARIOS + (STREAMED if mode == "streamed" else []):
        if (wire, mode, name) == ("anthropic", "plain", "broken arguments"):
            continue  # that form holds an object, and llmock leaves it empty
        server.state.reset()
        server.state.scenarios.add(*behaviours)
        argv = [CLIENT, wire, root + path, "mock", *options, *(["plain"] if mode == "plain" else [])]
        ran = subprocess.run(argv, capture_output=True, text=True, timeout=120)
        fine = ran.returncode == (1 if holds is None else 0)
        fine = fine and (holds is None or holds(json.loads(ran.stdout)))
        yield name, fine, ran


def whole(server, root, wire, path, mode):
    """A whole `mend fix`."""
    for name, behaviours, turns, streams in WHOLE:
        if streams and mode == "plain" or (wire, mode, name) == ("anthropic", "plain", "broken arguments"):
            continue
        server.state.reset()
        server.state.scenarios.add(*behaviours)
        with tempfile.TemporaryDirectory(prefix="mend-llmock-") as place:
            for file, text in PROJECT.items():
                target = Path(place, file)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
            argv = [MEND, "fix", f"{place}/project", "--report", f"{place}/report.md", "--json", "--wire", wire]
            argv += ["--model", "mock", "--model-url", root + path, *(["--no-stream"] if mode == "plain" else [])]
            env = {**os.environ, "MEND_MODEL_IDLE_TIMEOUT_S": "2"}
            ran = subprocess.run(argv, capture_output=True, text=True, timeout=180, env=env)
        fine = ran.returncode == 0
        if fine:
            result = json.loads(ran.stdout)
            fine = (result["verdict"], result["turns"]) == ("ready", turns)
        yield f"mend fix, {name}", fine, ran


def main():
    bad = 0
    with LLMockServer() as server:
        root = server.base_url("openai").removesuffix("/v1")
        for play in (once, whole):
            for wire, path in WIRES:
                for mode in ("streamed", "plain"):
                    for name, fine, ran in play(server, root, wire, path, mode):
                        verdict = judge(server.state.journal.records(wait=2.0))
                        fine = fine and clean(verdict)
                        bad += not fine
                        print(f"{'ok  ' if fine else 'FAIL'} {wire} {mode}: {name} ({verdict.attempts} attempts)", flush=True)
                        if not fine:
                            print(ran.stdout[-3000:], ran.stderr[-2000:], verdict.render())
    print(f"{bad} failed")
    return bool(bad)


sys.exit(main())
