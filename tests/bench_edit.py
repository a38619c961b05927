#!/usr/bin/env python3
"""The edit engine beside aider on the same made-up file.

    python3 -m venv DIR && DIR/bin/pip install aider-chat
    DIR/bin/python tests/bench_edit.py [BENCH]

BENCH is the built benchmark; without it `cargo bench --bench edit` builds and runs it.
"""
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from aider.coders.editblock_coder import find_similar_lines, replace_most_similar_chunk


def once(kind, whole, old, new):
    """What aider does with one block: replace, and on a miss look for similar lines to show."""
    done = replace_most_similar_chunk(whole, old, new)
    if kind == "miss" and not done:
        find_similar_lines(old, whole)
    return done


def main():
    bench = sys.argv[1:2] or ["cargo", "bench", "-q", "--bench", "edit", "--"]
    subprocess.run(bench, check=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*bench, "--write", folder], check=True)
        folder = Path(folder)
        whole = (folder / "big.py").read_text()
        for kind in ["exact", "white space", "miss"]:
            for count in [8, 40, 120]:
                old = (folder / f"{kind}.{count}.old").read_text()
                new = (folder / f"{kind}.{count}.new").read_text()
                times = []
                for _ in range(5 if kind != "miss" else 1 if count > 40 else 2):
                    start = time.perf_counter()
                    done = once(kind, whole, old, new)
                    times.append((time.perf_counter() - start) * 1000)
                ended = "applied" if done else "refused"
                print(f"aider, {kind}, {count} lines: median {statistics.median(times):.1f} ms ({ended})")


if __name__ == "__main__":
    main()
