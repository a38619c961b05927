#!/usr/bin/env python3
"""Real projects, with no configuration of any kind: `mend check run` beside the project's own command by hand.

    tests/real_projects.py target/release/mend [--config FILE] [--only NAME,…] [--keep FOLDER]

Fetches source distributions with the registries' own clients, runs mend on each (detection, set-up through the
proxy, check in the sandbox), then installs and tests each by hand in an environment of its own, and prints a table.
Exits 0 when every outcome is passed and every count is the one by hand.

What stands below for each project is the command by hand alone; mend is told nothing.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

PYTHON = {
    # What pip installs beside the project, and the command.
    "itsdangerous": (["-e", ".", "pytest", "freezegun"], "python -m pytest"),
    "cachetools": (["-e", ".", "pytest"], "python -m pytest"),
    "tabulate": (["-e", ".", "pytest"], "python -m pytest --doctest-modules --ignore benchmark"),
    "toolz": (["-e", ".", "pytest"], "python -m pytest"),
    "tomlkit": (["-e", ".", "pytest", "pyyaml"], "python -m pytest"),
    "marshmallow": (["-e", ".", "pytest", "simplejson"], "python -m pytest"),
    "jinja2": (["-e", ".", "pytest", "trio"], "python -m pytest"),
    "boltons": (["-e", ".", "pytest"], "python -m pytest --doctest-modules boltons tests"),
    "humanize": (["-e", ".[tests]"], "python -m pytest"),
    "click": (["-e", ".", "pytest"], "python -m pytest"),
    # pdm, hatch, flit with unittest, poetry.
    "findpython": (["-e", ".", "pytest"], "python -m pytest tests"),
    "structlog": (["-e", ".", "pytest", "pytest-asyncio", "simplejson", "time-machine"], "python -m pytest"),
    "more-itertools": (["-e", "."], "python -m unittest"),
    "poetry-core": (
        ["-e", ".", "pytest", "pytest-mock", "build", "setuptools", "tomli-w", "virtualenv", "trove-classifiers"],
        "python -m pytest",
    ),
    # A workspace of crates with an extension for Python, built by maturin.
    "jiter": (["-e", ".", "pytest", "dirty-equals"], "python -m pytest"),
}
RUST = ["semver", "heck", "strsim", "textwrap", "humantime"]
# Of these the crates are tested, too.
WORKSPACES = {"jiter": "cargo test --workspace --no-fail-fast"}
NODE = {
    "minimist": "npx --no-install tape 'test/**/*.js'",
    "hmac-drbg": "npx --no-install mocha 'test/*-test.js'",
    "hash.js": "npx --no-install mocha 'test/*-test.js'",
}


def run(command, folder, env=None, limit=900):
    """A command, its output with its errors, its code."""
    shell = isinstance(command, str)
    done = subprocess.run(
        command,
        shell=shell,
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        timeout=limit,
    )
    return done.returncode, done.stdout.decode(errors="replace")


def must(command, folder, env=None):
    code, output = run(command, folder, env)
    if code != 0:
        raise RuntimeError(f"{command} exit {code}\n{output[-2000:]}")
    return output


def unpack(archive, folder):
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    (inner,) = list(folder.iterdir())
    return inner


def fetch_python(name, work):
    folder = work / "sdist" / name
    folder.mkdir(parents=True)
    must(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", name, "-d", folder, name],
        folder,
    )
    (archive,) = list(folder.iterdir())
    return unpack(archive, work / "python" / name)


def fetch_rust(names, work):
    """Lets cargo fetch them, and copies what it unpacked."""
    folder = work / "fetch"
    (folder / "src").mkdir(parents=True)
    (folder / "src/lib.rs").write_text("")
    lines = ["[package]", 'name = "fetch"', 'version = "0.0.0"', 'edition = "2021"', "[dependencies]"]
    lines += [f'{name} = "*"' for name in names]
    (folder / "Cargo.toml").write_text("\n".join(lines) + "\n")
    metadata = json.loads(must("cargo metadata --format-version 1 2>/dev/null", folder))
    found = {}
    for package in metadata["packages"]:
        if package["name"] in names:
            copy = work / "rust" / f"{package['name']}-{package['version']}"
            shutil.copytree(Path(package["manifest_path"]).parent, copy)
            (copy / ".cargo-ok").unlink(missing_ok=True)
            found[package["name"]] = copy
    return found


def fetch_node(name, work):
    folder = work / "npm" / name
    folder.mkdir(parents=True)
    archive = must(["npm", "pack", "--silent", name], folder).strip().splitlines()[-1]
    project = work / "node" / archive.removesuffix(".tgz")
    project.parent.mkdir(exist_ok=True)
    return unpack(folder / archive, work / "unpacked" / name).rename(project)


def by_hand_python(project, folder, name):
    wants, command = PYTHON[name]
    venv = folder / "venv"
    must([sys.executable, "-m", "venv", venv], folder)
    must([venv / "bin/pip", "install", "-q", *wants], project)
    env = dict(os.environ, PATH=f"{venv / 'bin'}:{os.environ['PATH']}", VIRTUAL_ENV=str(venv))
    _, output = run(command, project, env)
    if ran := re.search(r"^Ran (\d+) tests?.*\n\n(OK|FAILED)(?: \((.*)\))?", output, re.MULTILINE):
        marks = {word: int(n) for word, n in re.findall(r"([a-z]+)=(\d+)", ran[3] or "")}
        failed = marks.get("failures", 0) + marks.get("errors", 0)
        return int(ran[1]) - failed - marks.get("skipped", 0), failed
    last = [line for line in output.splitlines() if re.search(r"\d+ passed|\d+ failed|no tests ran", line)]
    return counts(last[-1] if last else "")


def counts(line):
    found = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|skipped|error)", line)}
    return found.get("passed", 0), found.get("failed", 0) + found.get("error", 0)


def by_hand_rust(project, command="cargo test --no-fail-fast"):
    _, output = run(command, project)
    results = re.findall(r"^test result: \S+ (\d+) passed; (\d+) failed", output, re.MULTILINE)
    return sum(int(p) for p, _ in results), sum(int(f) for _, f in results)


def by_hand_node(project, name):
    must("npm install --no-audit --no-fund --silent", project)
    _, output = run(NODE[name], project)
    passed = re.findall(r"^# pass +(\d+)|^ +(\d+) passing", output, re.MULTILINE)
    failed = re.findall(r"^# fail +(\d+)|^ +(\d+) failing", output, re.MULTILINE)
    return tuple(sum(int(one or other) for one, other in found) for found in (passed, failed))


def by_mend(mend, config, project):
    detected = json.loads(must([mend, "check", "detect", project, "--json"], project))
    commands = "; ".join(c["command"] for c in detected["commands"])
    steps = "; ".join(s["command"] for s in detected["setup"]) or "none"
    begun = time.monotonic()
    more = ["--config", config] if config else []
    done = subprocess.run(
        [mend, "check", "run", project, "--json", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    seconds = time.monotonic() - begun
    if not done.stdout.strip():
        said = done.stderr.decode(errors="replace").strip().splitlines()
        return commands, steps, f"exit {done.returncode}: {said[-1] if said else ''}", (0, 0), seconds
    value = json.loads(done.stdout)
    tests = [c["tests"] or {} for c in value["checks"]]
    total = [sum(t.get(k) or 0 for t in tests) for k in ("passed", "failed", "errors")]
    outcome = value["outcome"]
    reasons = [c["reason"] for c in value["checks"] if c["reason"]]
    if outcome != "passed" and reasons:
        outcome = f"{outcome}: {reasons[0]}"
    return commands, steps, outcome, (total[0], total[1] + total[2]), seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mend", type=Path)
    parser.add_argument("--config", type=Path, help="settings of the operator: hosts, registries, files")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args()
    mend = args.mend.resolve()
    config = args.config.resolve() if args.config else None
    only = set(filter(None, args.only.split(",")))
    wanted = [n for n in [*PYTHON, *RUST, *NODE] if not only or n in only]
    work = args.keep or Path(tempfile.mkdtemp(prefix="mend-real-"))
    work.mkdir(exist_ok=True)
    os.chmod(work, 0o755)
    crates = fetch_rust([n for n in wanted if n in RUST], work) if any(n in RUST for n in wanted) else {}
    print("| project | detected | set-up | outcome | passed, failed | by hand | seconds | same |")
    print("|---|---|---|---|---|---|---|---|")
    good = True
    for name in wanted:
        try:
            if name in PYTHON:
                project = fetch_python(name, work)
            elif name in RUST:
                project = crates[name]
            else:
                project = fetch_node(name, work)
            commands, steps, outcome, ours, seconds = by_mend(mend, config, project)
            hand = work / "hand" / name
            hand.mkdir(parents=True)
            copy = hand / project.name
            shutil.copytree(project, copy)
            if name in PYTHON:
                theirs = by_hand_python(copy, hand, name)
                if name in WORKSPACES:
                    crates_too = by_hand_rust(copy, WORKSPACES[name])
                    theirs = (theirs[0] + crates_too[0], theirs[1] + crates_too[1])
            elif name in RUST:
                theirs = by_hand_rust(copy)
            else:
                theirs = by_hand_node(copy, name)
        except (OSError, RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
            print(f"| {name} | | | could not be tried: {str(error).splitlines()[0][:160]} | | | | no |", flush=True)
            good = False
            continue
        same = outcome == "passed" and ours == theirs
        good = good and same
        cell = lambda text: text.replace("|", "\\|")
        print(
            f"| {cell(project.name)} | `{cell(commands)}` | `{cell(steps)}` | {cell(outcome)} "
            f"| {ours[0]}, {ours[1]} | {theirs[0]}, {theirs[1]} | {seconds:.1f} | {'yes' if same else 'no'} |",
            flush=True,
        )
    if not args.keep:
        shutil.rmtree(work, ignore_errors=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
