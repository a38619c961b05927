#!/usr/bin/env python3
"""Measures one confined /bin/true beside a plain spawn and bubblewrap by hand.

usage: tests/bench_sandbox.py MEND [RUNS]     (MEND: a release build; prints a Markdown table)

The kinds are run in turn, so that a busy moment of the machine falls on all of them. "By hand" has
the same namespaces, the same user and only the mounts without which /bin/true does not start.
Started as root it measures the start as root and the start as uid 65533.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

BY_HAND = (
    "bwrap --unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts "
    "--unshare-cgroup-try --disable-userns --new-session --die-with-parent --uid 1000 --gid 1000 "
    "--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 "
    "--proc /proc --dev /dev --tmpfs /tmp --bind {work} /repo --chdir /repo -- /bin/true"
)


def once(command, work, user):
    options = {"user": user, "group": user, "extra_groups": []} if user else {}
    begin = time.perf_counter()
    subprocess.run(command, cwd=work, env={"PATH": "/usr/bin:/bin"}, check=True, **options)
    return (time.perf_counter() - begin) * 1000


def measure(mend, runs, user):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        work = os.path.join(folder, "work")
        os.mkdir(work)
        if user:
            os.chown(work, user, user)
        kinds = {
            "plain spawn": ["/bin/true"],
            "bubblewrap by hand": BY_HAND.format(work=work).split(),
            "mend sandbox run": [mend, "sandbox", "run", "--", "/bin/true"],
        }
        times = {name: [] for name in kinds}
        for run in range(runs + 3):
            for name, command in kinds.items():
                took = once(command, work, user)
                if run >= 3:
                    times[name].append(took)
    return times


def main():
    mend = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    print("| started as | kind | median ms | p90 ms | × by hand |")
    print("|---|---|---|---|---|")
    users = [("root", None), ("a user", 65533)] if os.geteuid() == 0 else [("a user", None)]
    for who, user in users:
        times = measure(mend, runs, user)
        base = statistics.median(times["bubblewrap by hand"])
        for name, all_times in times.items():
            median = statistics.median(all_times)
            ninth = statistics.quantiles(all_times, n=10)[8]
            print(f"| {who} | {name} | {median:.1f} | {ninth:.1f} | {median / base:.2f} |")


if __name__ == "__main__":
    main()
