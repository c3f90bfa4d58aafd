"""A job of run.py's: what derive_ids promises of bad records and failing programs, tried on a cluster.

    spark-submit --py-files derive_ids.py checks.py --idem ./idem --recipe recipe.yaml INPUT OUTPUT

INPUT/NAME is the data set of a check and OUTPUT/NAME what it gave. Prints one
line for each check: how it ended, and how it should have.
"""

import argparse
import os
import sys

from pyspark import SparkConf, SparkContext

from derive_ids import WorkerEnv, derive, lines


def broken_source(records):
    """As a source that fails in the midst of a partition."""
    for n, record in enumerate(records):
        if n == 3:
            raise OSError("the source broke off")
        yield record


class Checks:
    def __init__(self, context, o):
        self.context, self.o, self.failed = context, o, 0
        self.env = WorkerEnv("IDEM_KEY")

    def idem(self, *flags):
        return ["./" + os.path.basename(self.o.idem), "derive", "--ndjson", *flags, "-r", "./" + os.path.basename(self.o.recipe), "-"]

    def source(self, name):
        return lines(self.context, os.path.join(self.o.input, name))

    def saves(self, name, answers):
        """The answers are saved, for run.py to compare."""
        answers.saveAsTextFile(os.path.join(self.o.output, name))
        self.tell(name, "saved", "saved")

    def fails(self, name, answers, why):
        """The job fails, for this reason, and nothing that looks whole is left."""
        try:
            answers.saveAsTextFile(os.path.join(self.o.output, name))
            self.tell(name, "saved", why)
        except Exception as error:  # pylint: disable=broad-except
            self.tell(name, why if why in str(error) else str(error), why)

    def tell(self, name, got, want):
        self.failed += got != want
        print(f"check {name}: {got}" + ("" if got == want else f", and not: {want}"), flush=True)

    def run(self):
        emit, stop = self.idem("--on-error", "emit"), self.idem("--on-error", "stop")
        self.saves("ends-of-lines", derive(self.source("ends-of-lines"), stop, self.env))
        self.saves("emitted", derive(self.source("bad-records"), emit, self.env, "emit"))
        self.saves("damaged", derive(self.source("damaged"), emit, self.env, "emit"))
        self.saves("annotated", derive(self.source("ends-of-lines"), self.idem("--annotate", "id"), self.env))
        bad, good = self.source("bad-records"), self.source("ends-of-lines")
        self.fails("bad-record", derive(bad, stop, self.env), "PIPE_FUNCTION_EXITED")
        self.fails("no-key", derive(good, stop, WorkerEnv()), "PIPE_FUNCTION_EXITED")
        self.fails("no-key-emit", derive(good, emit, WorkerEnv(), "emit"), "idem answered 0 of")
        self.fails("no-program", derive(good, ["./nowhere"], self.env), "No such file or directory: './nowhere'")
        self.fails("answers-too-few", derive(good, ["head", "-n", "2"], self.env), "idem answered 2 of")
        self.fails("killed", derive(good, ["sh", "-c", "kill -9 $$"], self.env, "emit"), "PIPE_FUNCTION_EXITED")
        self.fails("broken-source", derive(good.mapPartitions(broken_source), stop, self.env), "the source broke off")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--idem", required=True)
    parser.add_argument("--recipe", required=True)
    parser.add_argument("input")
    parser.add_argument("output")
    o = parser.parse_args()
    context = SparkContext(conf=SparkConf().setAppName("checks").set("spark.task.maxFailures", "1"))
    context.addFile(o.idem)
    context.addFile(o.recipe)
    checks = Checks(context, o)
    checks.run()
    context.stop()
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
