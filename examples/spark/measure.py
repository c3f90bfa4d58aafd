"""What a record costs: through Spark and through idem alone. Run by run.py --measure; prints a table."""

import json
import os
import statistics
import subprocess
import time

import generate

ROUNDS = 5


def alone(run, files, *flags):
    """CPU seconds and peak memory in KiB of one idem over some files."""
    with subprocess.Popen(["cat", *files], stdout=subprocess.PIPE) as cat:
        idem = subprocess.Popen([run.idem, "derive", "--ndjson", *flags, "-r", os.path.join(os.path.dirname(__file__), "recipe.yaml"), "-"],
                                stdin=cat.stdout, stdout=subprocess.DEVNULL, env={"IDEM_KEY": run.key})
        cat.stdout.close()
        peak = peak_memory(idem.pid)
        _, status, used = os.wait4(idem.pid, 0)
        idem.returncode = os.waitstatus_to_exitcode(status)
    if idem.returncode:
        raise RuntimeError(f"idem ended with {idem.returncode}")
    return used.ru_utime + used.ru_stime, peak


def peak_memory(pid):
    """KiB of a child at its most, looked at until it ends: what wait tells is at least Python's own."""
    peak = 0
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            peak = max([peak, *(int(line.split()[1]) for line in f if line.startswith("VmHWM:"))])
        time.sleep(0.005)
    return peak


def tell(run, cluster):
    o = run.o
    files = generate.write(run.data, o.records, o.partitions)
    size = sum(map(os.path.getsize, files))
    print(f"{o.records} records of {size / o.records:.0f} B in {o.partitions} partitions, {ROUNDS} rounds; median, CPU of all processes\n")
    print("| way | CPU us a record | least | most |\n|---|---|---|---|")
    empty = os.path.join(run.folder, "empty")
    with open(empty, "wb"):
        pass
    starts = [alone(run, [empty])[0] for _ in range(20)]
    rounds = [alone(run, files, "--workers", "1") for _ in range(ROUNDS)]
    row("idem alone, one stream", [cpu for cpu, _ in rounds], o.records)
    code, said = run.submit(cluster, "measure_job.py", run.data, os.path.join(run.folder, "measured"), patience=3000,
                            env={"MEASURED": ",".join(map(str, cluster.worker_pids())), "ROUNDS": str(ROUNDS)})
    took = [line for line in said.splitlines() if line.startswith("took ")]
    run.expect("the job ended well", code == 0 and len(took) == 1, said)
    if run.wrong:
        return
    for name, rounds_of in json.loads(took[0][5:]).items():
        row(name, [cpu for cpu, _ in rounds_of], o.records)
    print(f"\nidem starts and ends within {statistics.median(starts) * 1000:.1f} ms of CPU, and has at most {max(m for _, m in rounds) / 1024:.0f} MiB")


def row(name, seconds, records):
    micro = sorted(s / records * 1e6 for s in seconds)
    print(f"| {name} | {statistics.median(micro):.2f} | {micro[0]:.2f} | {micro[-1]:.2f} |", flush=True)
