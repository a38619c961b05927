#!/usr/bin/env python3
"""mend's own time in the demo's task, idle memory of the server, for benches/FIGURES.md.

    tests/bench_demo.py MEND [ROUNDS]

Harness: from the claim of the task to its last comment, less the project's own tests (timed alone, outside of the
sandbox) and less the model. Git, sandbox start, copies, classification, store and GitHub calls all count. Standard
library only.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MEND = sys.argv[1]
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
PROJECT = Path(__file__).resolve().parent.parent / "src/app/demo/project"


def tests_alone():
    """One run of the project's tests without mend, in seconds."""
    begun = time.perf_counter()
    subprocess.run(
        ["python3", "-m", "unittest", "discover", "-s", "tests", "-t", "."],
        cwd=PROJECT, capture_output=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    return time.perf_counter() - begun


def idle_memory():
    """Resident kilobytes of a demo (server, simulator and a finished task), and how many seconds after."""
    with tempfile.TemporaryDirectory() as folder:
        demo = subprocess.Popen([MEND, "demo"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": folder})
        for line in demo.stdout:
            if b"Ctrl-C ends" in line:
                break
        time.sleep(5)
        status = Path(f"/proc/{demo.pid}/status").read_text()
        demo.send_signal(2)
        demo.wait()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))


alone = statistics.median(tests_alone() for _ in range(ROUNDS))
spans, own = {}, []
for _ in range(ROUNDS):
    out = subprocess.run([MEND, "demo", "--json"], capture_output=True, check=True).stdout
    document = json.loads(out)
    for name, ms in document["spans_ms"].items():
        spans.setdefault(name, []).append(ms)
    total = sum(document["spans_ms"].values()) / 1000
    own.append(total - document["model_seconds"] - 2 * alone)
print(f"rounds {ROUNDS}, medians")
print(f"harness {statistics.median(own):.3f} s (least {min(own):.3f}, most {max(own):.3f}); the tests alone {alone:.3f} s, run twice")
print("spans: " + ", ".join(f"{name} {statistics.median(ms):.0f} ms" for name, ms in spans.items()))
print(f"idle memory of server and simulator together {idle_memory() / 1024:.1f} MB")
