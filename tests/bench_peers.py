#!/usr/bin/env python3
"""The same task for mend and for mini-swe-agent (PyPI), with the same player behind `model_bridge.py`.

    bench_peers.py --tool mini|mend --project DIR --report FILE --check COMMAND --out DIR [--replay DIR]

1. Set-up, once: `python3 -m venv V && V/bin/pip install 'mini-swe-agent>=2.4,<3'`; give `--mini V/bin/mini`.
   For mend: `cargo build --bin mend`; give `--mend target/debug/mend`.
2. Start a run. It copies the project, makes sure that COMMAND fails there, starts the bridge on a free port with
   OUT/turns as its folder, and points the tool at it:
     mini: `mini -m openai/bridge -y --exit-immediately -c mini.yaml -c model.model_kwargs.api_base=http://127.0.0.1:PORT/v1`
           (LiteLLM's openai provider, tool calling, Chat Completions), in the copy as working folder;
     mend: `mend fix COPY --report FILE --apply --wire chat --model-url http://127.0.0.1:PORT`.
3. Play the model in another terminal; the player sees requests and nothing else:
     tests/tools/model_bridge.py next --dir OUT/turns [--full]        the oldest unanswered request
     tests/tools/model_bridge.py reply --dir OUT/turns N --json '{"text": "…", "tool_calls": [{"name": "…", "arguments": {…}}]}'
   mini has one tool, `bash` with `{"command": "…"}`, and ends with the command
   `echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT`. Do not look at the other tool's requests of the same task before.
4. The last line that is printed is one JSON object: tool, turns, tokens_in and tokens_out (characters / 4), seconds,
   solved (COMMAND's exit in the copy afterwards is 0), changed files. With `--hidden COMMAND` that one decides `solved`.
   `--replay DIR` plays recorded replies instead of a person.
Put the figures into benches/FIGURES.md with the date and who played.
"""
import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
BRIDGE = HERE / "tools" / "model_bridge.py"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port):
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit("the bridge does not listen")


def passes(command, folder):
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, shell=True, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=900).returncode == 0


def contents(folder):
    files = (p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts and ".git" not in p.parts)
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}


def command(args, copy, port, scratch):
    report = args.report.read_text()
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if args.tool == "mini":
        env |= {
            "OPENAI_API_KEY": "bridge",
            "MSWEA_CONFIGURED": "true",
            "MSWEA_COST_TRACKING": "ignore_errors",
            "MSWEA_GLOBAL_CONFIG_DIR": str(scratch),
            "MSWEA_SILENT_STARTUP": "1",
        }
        base = f"model.model_kwargs.api_base=http://127.0.0.1:{port}/v1"
        return [args.mini, "-m", "openai/bridge", "-t", report, "-y", "--exit-immediately", "-l", "0",
                "-c", "mini.yaml", "-c", base, "-o", str(args.out / "trajectory.json")], env
    env |= {"MEND_MODEL_API_KEY": "bridge", "MEND_MODEL_TIMEOUT_S": str(args.patience), "MEND_MODEL_IDLE_TIMEOUT_S": str(args.patience)}
    return [args.mend, "fix", str(copy), "--report", str(args.report.resolve()), "--apply", "--json", "--wire", "chat",
            "--model", "bridge", "--model-url", f"http://127.0.0.1:{port}", "--check", args.check], env


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, choices=["mini", "mend"])
    parser.add_argument("--project", required=True, type=Path)
    parser.add_argument("--report", required=True, type=Path)
    parser.add_argument("--check", required=True)
    parser.add_argument("--hidden")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--replay", type=Path)
    parser.add_argument("--mini", default="mini")
    parser.add_argument("--mend", default="target/debug/mend")
    parser.add_argument("--patience", type=int, default=1800, help="seconds that the player may take for a turn")
    args = parser.parse_args()
    args.out = args.out.resolve()
    args.out.mkdir(parents=True, exist_ok=True)
    turns = args.out / "turns"
    if turns.exists():
        sys.exit(f"{turns} exists: name a fresh --out")
    turns.mkdir()
    for reply in sorted(args.replay.glob("*.reply.json")) if args.replay else []:
        shutil.copy(reply, turns / reply.name)
    with tempfile.TemporaryDirectory(prefix="bench-peers-") as scratch:
        copy = Path(scratch) / "project"
        shutil.copytree(args.project, copy, symlinks=True)
        if passes(args.check, copy):
            sys.exit(f"`{args.check}` passes before the work: the project has no bug to fix")
        before = contents(copy)
        port = free_port()
        bridge = subprocess.Popen([sys.executable, BRIDGE, "serve", "--dir", turns, "--port", str(port), "--timeout", str(args.patience)])
        try:
            wait_for(port)
            argv, env = command(args, copy, port, scratch)
            begun = time.time()
            with open(args.out / "log.txt", "w") as log:
                code = subprocess.run(argv, cwd=copy, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT).returncode
            seconds = time.time() - begun
        finally:
            bridge.terminate()
            bridge.wait()
        after = contents(copy)
        requests = sorted(turns.glob("*.request.json"))
        bodies = [json.dumps(json.loads(r.read_text())["body"], ensure_ascii=False) for r in requests]
        answered = [turns / r.name.replace("request", "reply") for r in requests]
        replies = [r.read_text() for r in answered if r.exists()]
        print(json.dumps({
            "tool": args.tool,
            "solved": passes(args.hidden or args.check, copy),
            "turns": len(requests),
            "tokens_in": sum(len(b) // 4 for b in bodies),
            "tokens_out": sum(len(r) // 4 for r in replies),
            "seconds": round(seconds, 1),
            "exit": code,
            "changed": sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p)),
        }))


main()
