"""A job of measure.py's: what ways to take records through a program cost, each several times, in turns.

    spark-submit --py-files derive_ids.py measure_job.py --idem ./idem --recipe recipe.yaml INPUT OUTPUT

Prints one line of JSON: for each way the CPU seconds that the workers and all
beneath them took, and the seconds of the clock, a round each. Linux only.
"""

import argparse
import json
import os
import time

from pyspark import SparkConf, SparkContext

from derive_ids import WorkerEnv, derive, lines

TICK = os.sysconf("SC_CLK_TCK")


def processes():
    """Parent, and CPU seconds with those of ended children, of every process."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        found[int(pid)] = int(fields[1]), sum(map(int, fields[11:15])) / TICK
    return found


def cpu(roots):
    """CPU seconds of some processes and all that they started."""
    found, total = processes(), 0.0
    for pid in found:
        up = pid
        while up in found and up not in roots:
            up = found[up][0]
        total += found[pid][1] if up in roots else 0
    return total


class Ways:
    def __init__(self, context, o):
        self.context, self.o = context, o
        self.roots = set(map(int, os.environ["MEASURED"].split(",")))
        self.command = ["./" + os.path.basename(o.idem), "derive", "--ndjson", "--workers", "1", "-r", "./" + os.path.basename(o.recipe), "-"]

    def records(self):
        return lines(self.context, self.o.input)

    def in_java(self):
        """The records as Java has them: Python sees none of them."""
        return self.records()._jrdd  # pylint: disable=protected-access

    def ways(self):
        java = self.context._jvm.java.util  # pylint: disable=protected-access
        return {
            "Java, copied": self.in_java,
            "Java, pipe to idem": lambda: self.in_java().pipe(java.ArrayList(self.command), java.HashMap(), False, 8192, "UTF-8"),
            "Python, copied": lambda: self.records().mapPartitions(lambda records: records),
            "Python, pipe to cat": lambda: derive(self.records(), ["cat"], WorkerEnv()),
            "Python, pipe to idem": lambda: derive(self.records(), self.command, WorkerEnv("IDEM_KEY")),
        }

    def round(self, n, took):
        for name, way in self.ways().items():
            cpu_before, clock_before = cpu(self.roots), time.monotonic()
            way().saveAsTextFile(os.path.join(self.o.output, f"{name} {n}"))
            took.setdefault(name, []).append((cpu(self.roots) - cpu_before, time.monotonic() - clock_before))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--idem", required=True)
    parser.add_argument("--recipe", required=True)
    parser.add_argument("input")
    parser.add_argument("output")
    o = parser.parse_args()
    context = SparkContext(conf=SparkConf().setAppName("measure"))
    context.addFile(o.idem)
    context.addFile(o.recipe)
    ways, took = Ways(context, o), {}
    ways.round(0, {})  # Java compiles what it has seen often
    for n in range(1, 1 + int(os.environ["ROUNDS"])):
        ways.round(n, took)
    print("took " + json.dumps(took), flush=True)
    context.stop()


if __name__ == "__main__":
    main()
