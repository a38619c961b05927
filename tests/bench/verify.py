#!/usr/bin/env python3
"""Proves of every task in this folder what README.md promises of it.

    tests/bench/verify.py              all tasks
    tests/bench/verify.py py-december  these tasks
    tests/bench/verify.py --language rust --parallel 2

Each task is tried in four copies of its project: without the bug, with it, with the reference fix and
with the wrong fix. The commands run without a network where the host allows that (`unshare`).
Exit code 1 if any task does not hold what it says.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

BENCH = Path(__file__).resolve().parent
KEYS = {
    "title", "language", "tags", "source", "bug", "report", "setup", "check", "hidden",
    "hidden_check", "reference", "wrong", "contradiction", "contradicting_test", "failing", "flaky",
    "expect", "timeout", "hidden_setup",
}
REQUIRED = {
    "title", "language", "tags", "source", "bug", "report", "check", "hidden", "hidden_check",
    "reference", "wrong", "contradiction", "timeout",
}
TAGS = {
    # Of the suite's state with the bug in it; exactly one.
    "red", "green",
    # Of the bug.
    "several-places", "helper-import", "off-by-one", "rounding", "dates", "encoding", "hang", "crash",
    "wrong-sum", "white-space", "mutation",
    # Of the project.
    "big-file", "monorepo", "old-failing", "flaky", "setup-fails", "setup-never",
    # Of the report.
    "wrong-module", "contradiction", "vague",
}
EXPECT = {"ready", "draft", "no_change"}
# Seconds of a check. Alone on a machine they take less than half of it.
SLOWEST, SLOWEST_OF = 10.0, {"rust": 40.0}
FLAKY_RUNS = 25
NO_CODE = re.compile(r"\b(SyntaxError|ImportError|ModuleNotFoundError|NameError|ReferenceError|could not compile)\b")


def offline():
    """The words before a command that take the network away from it, if the host allows that."""
    for words in (["unshare", "-n"], ["unshare", "-rn"]):
        try:
            if subprocess.run([*words, "true"], capture_output=True).returncode == 0:
                return words
        except OSError:
            pass
    return []


OFFLINE = offline()


class Broken(Exception):
    """A task that does not hold what it says."""


def run(command, folder, timeout):
    """Outcome ("passed", "failed", "timed out"), output and seconds of one command."""
    env = dict(os.environ, CARGO_NET_OFFLINE="true", CARGO_TERM_COLOR="never", LC_ALL="C.UTF-8")
    for name in ("CARGO_TARGET_DIR", "PYTHONPATH", "RUBYOPT", "NODE_OPTIONS", "NODE_TEST_CONTEXT"):
        env.pop(name, None)
    begin = time.monotonic()
    child = subprocess.Popen(
        [*OFFLINE, "sh", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )
    try:
        output, _ = child.communicate(timeout=timeout)
        outcome = "passed" if child.returncode == 0 else "failed"
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        output, _ = child.communicate()
        outcome = "timed out"
    return outcome, output.decode("utf-8", "replace"), time.monotonic() - begin


def run_all(commands, folder, timeout):
    """The same of several commands; the first that did not pass decides."""
    decided, outputs, seconds = "passed", [], 0.0
    for command in commands:
        outcome, output, took = run(command, folder, timeout)
        outputs.append(output)
        seconds += took
        if decided == "passed":
            decided = outcome
    return decided, "\n".join(outputs), seconds


class Copy:
    """A copy of a task's project with some of its patches."""

    def __init__(self, task, folder, patches):
        self.task, self.folder = task, Path(folder)
        ignored = shutil.ignore_patterns("__pycache__", "target", "node_modules", ".pytest_cache")
        shutil.copytree(task.path / task["source"], folder, ignore=ignored, symlinks=True)
        for patch in patches:
            words = ["git", "apply", "--whitespace=nowarn", str(task.path / patch)]
            env = dict(os.environ, GIT_CEILING_DIRECTORIES=str(self.folder.parent))
            done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True)
            if done.returncode != 0:
                raise Broken(f"{patch} does not apply: {done.stderr.strip()}")
        self.setup = self.set_up()

    def set_up(self):
        if not self.task.get("setup"):
            return "passed"
        return run_all(self.task["setup"], self.folder, self.task["timeout"])[0]

    def check(self):
        return run_all(self.task["check"], self.folder, self.task["timeout"])

    def hidden(self):
        # With the time of this moment: cargo and Python decide by it whether to build a file again.
        hidden = self.task.path / self.task["hidden"]
        shutil.copytree(hidden, self.folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
        return run_all(self.task["hidden_check"], self.folder, self.task["timeout"])


class Task(dict):
    def __init__(self, path):
        self.path = path
        with open(path / "task.toml", "rb") as file:
            super().__init__(tomllib.load(file))
        self.tags = set(self["tags"])

    def want(self, holds, words, output=""):
        if not holds:
            tail = "\n".join(output.splitlines()[-25:])
            raise Broken(words + (f"\n{tail}" if tail else ""))

    def form(self):
        """What can be seen without running anything."""
        self.want(REQUIRED <= set(self), f"keys are missing: {sorted(REQUIRED - set(self))}")
        self.want(set(self) <= KEYS, f"unknown keys: {sorted(set(self) - KEYS)}")
        self.want(self.tags <= TAGS, f"unknown tags: {sorted(self.tags - TAGS)}")
        self.want(len(self.tags & {"red", "green"}) == 1, "one of the tags red and green is needed")
        self.want(self.get("expect", "ready") in EXPECT, f"expect = {self.get('expect')}")
        self.want(self["contradiction"] == ("contradiction" in self.tags), "tag contradiction")
        self.want(self["contradiction"] == ("contradicting_test" in self), "contradicting_test")
        self.want(("old-failing" in self.tags) == bool(self.get("failing")), "failing")
        self.want(("flaky" in self.tags) == bool(self.get("flaky")), "flaky")
        own = self.get("hidden_setup", True)
        self.want(own == ("setup-never" not in self.tags), "hidden_setup = false goes with setup-never")
        report = (self.path / self["report"]).read_text(encoding="utf-8")
        self.want(len(report.splitlines()) > 2, "the report has a title and a text")
        if "big-file" in self.tags:
            files = [f for f in (self.path / self["source"]).rglob("*") if f.is_file()]
            longest = max(f.read_bytes().count(b"\n") for f in files)
            self.want(longest > 1000, f"the longest file has {longest} lines")
        source = (self.path / self["source"]).resolve()
        for file in (self.path / self["hidden"]).rglob("*"):
            laid = source / file.relative_to(self.path / self["hidden"])
            self.want(not (file.is_file() and laid.exists()), f"{file.name} hides the project's own")

    def verify(self):
        """Seconds of the check and of the hidden check, both with the reference fix."""
        self.form()
        with tempfile.TemporaryDirectory(prefix="bench-") as top:
            self.without(Copy(self, f"{top}/clean", []))
            self.bug(Copy(self, f"{top}/bug", [self["bug"]]))
            self.wrong(Copy(self, f"{top}/wrong", [self["bug"], self["wrong"]]))
            return self.fixed(Copy(self, f"{top}/fixed", [self["bug"], self["reference"]]))

    def without(self, copy):
        outcome, output, _ = copy.hidden()
        self.want(outcome == "passed", f"hidden check without the bug: {outcome}", output)

    def bug(self, copy):
        if self.tags & {"setup-fails", "setup-never"}:
            self.want(copy.setup != "passed", "the set-up passes with the bug")
        else:
            self.want(copy.setup == "passed", f"set-up with the bug: {copy.setup}")
        runs = FLAKY_RUNS if "flaky" in self.tags else 1
        for _ in range(runs):
            outcome, output, seconds = copy.check()
            if "hang" in self.tags:
                wanted = {"timed out"}
            else:
                wanted = {"passed"} if "green" in self.tags else {"failed"}
                if "flaky" in self.tags and "green" in self.tags:
                    wanted = {"passed", "failed"}
            self.want(outcome in wanted, f"check with the bug: {outcome}, not {wanted}", output)
            self.timely(outcome, seconds, "with the bug")
        outcome, output, _ = copy.hidden()
        self.want(outcome != "passed", "the hidden check passes with the bug", output)

    def wrong(self, copy):
        outcome, output, _ = copy.hidden()
        self.want(outcome != "passed", "the hidden check passes with the wrong fix", output)
        # It has to be wrong in what it does: a fix that does not even run proves nothing.
        runs = outcome == "timed out" or failures(output) > 0
        self.want(runs and not NO_CODE.search(output), "the wrong fix does not run", output)

    def fixed(self, copy):
        if "setup-never" in self.tags:
            self.want(copy.setup != "passed", "the set-up passes with the fix")
        else:
            self.want(copy.setup == "passed", f"set-up with the fix: {copy.setup}")
        outcome, output, seconds = copy.check()
        self.timely(outcome, seconds, "with the fix")
        if "flaky" in self.tags:
            self.shaky(copy)
        elif failing := self.still_failing():
            self.want(outcome == "failed", f"check with the fix: {outcome}", output)
            for test in failing:
                self.want(plain(test) in output, f"{test} does not fail with the fix", output)
            counted = failures(output)
            self.want(counted == len(failing), f"{counted} tests fail with the fix", output)
        elif "setup-never" in self.tags:
            self.want(outcome == "failed", f"check with the fix: {outcome}", output)
        else:
            self.want(outcome == "passed", f"check with the fix: {outcome}", output)
        hidden, output, hidden_seconds = copy.hidden()
        self.want(hidden == "passed", f"hidden check with the fix: {hidden}", output)
        return seconds, hidden_seconds

    def still_failing(self):
        own = [self["contradicting_test"]] if self["contradiction"] else []
        return own + self.get("failing", [])

    def shaky(self, copy):
        """The check passes and fails now and then, and if it fails then by the flaky tests."""
        seen = set()
        for _ in range(FLAKY_RUNS):
            outcome, output, _ = copy.check()
            seen.add(outcome)
            if outcome == "failed":
                self.want(any(plain(t) in output for t in self["flaky"]), "another test", output)
        self.want(seen == {"passed", "failed"}, f"{FLAKY_RUNS} runs with the fix: {seen}")

    def timely(self, outcome, seconds, where):
        most = SLOWEST_OF.get(self["language"], SLOWEST)
        self.want(
            outcome == "timed out" or seconds < most, f"the check takes {seconds:.1f} s {where}"
        )


def plain(test):
    """The part of a test's id that its runner prints when it fails, whatever the runner."""
    for mark in ("::", "#", "."):
        if mark in test and " " not in test:
            test = test.rsplit(mark, 1)[1]
    return test


def failures(output):
    """How many tests a run says have failed, by the words of the runners that the suite uses."""
    found = 0
    for line in output.splitlines():
        line = line.strip()
        if m := re.match(r"FAILED \((.*)\)$", line):
            found += sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", m[1]))
        elif m := re.match(r"test result: FAILED\. \d+ passed; (\d+) failed", line):
            found += int(m[1])
        elif m := re.match(r"(?:# |ℹ )fail (\d+)$", line):
            found += int(m[1])
        elif m := re.search(r"runs, \d+ assertions, (\d+) failures, (\d+) errors", line):
            found += int(m[1]) + int(m[2])
        elif m := re.match(r"=*\s*(?:(\d+) failed)?[, ]*(?:\d+ passed)?[, ]*(?:(\d+) errors?)? in ", line):
            found += int(m[1] or 0) + int(m[2] or 0)
    return found


def one(name):
    begin = time.monotonic()
    try:
        task = Task(BENCH / name)
        check, hidden = task.verify()
    except (Broken, OSError, KeyError, tomllib.TOMLDecodeError) as error:
        return name, None, f"{name}: {error}"
    took = time.monotonic() - begin
    row = f"ok  {name:32} check {check:5.2f} s  hidden {hidden:5.2f} s  all {took:5.1f} s"
    return name, (check, hidden), row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tasks", nargs="*", help="names of tasks; all without any")
    parser.add_argument("--language")
    parser.add_argument("--tag")
    parser.add_argument("--parallel", type=int, default=1)
    asked = parser.parse_args()
    names = asked.tasks or sorted(p.parent.name for p in BENCH.glob("*/task.toml"))
    if asked.language:
        names = [n for n in names if Task(BENCH / n)["language"] == asked.language]
    if asked.tag:
        names = [n for n in names if asked.tag in Task(BENCH / n).tags]
    if not OFFLINE:
        print("unshare does not work here: the commands keep their network", file=sys.stderr)
    broken = 0
    with concurrent.futures.ThreadPoolExecutor(asked.parallel) as pool:
        for _, times, row in pool.map(one, names):
            broken += times is None
            print(row if times else f"NOT {row}", flush=True)
    print(f"{len(names) - broken} of {len(names)} tasks hold")
    return 1 if broken or not names else 0


if __name__ == "__main__":
    sys.exit(main())
