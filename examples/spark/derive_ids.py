"""A PySpark job: an operation's ID for every record of a partitioned data set, through RDD.pipe.

    spark-submit derive_ids.py --idem ./idem --recipe recipe.yaml INPUT OUTPUT

One idem runs for each partition, beside the data. It answers each line with one
line, in order, so that line n of OUTPUT/part-0000p is about record n of
partition p. What pipe leaves open is closed here: which environment idem gets
(WorkerEnv), how it ended (checked) and whether it answered every line (Tally).
"""

import argparse
import os
import shlex

from pyspark import SparkConf, SparkContext


class WorkerEnv(dict):
    """An environment for pipe, made of the worker's own where the task runs.

    pipe gives its program this environment and no other: none of the worker's
    comes along. A plain {"IDEM_KEY": ...} would be pickled into every task, and
    the key with it, so of this only the names travel.
    """

    def __init__(self, *names):
        super().__init__({name: os.environ[name] for name in names if name in os.environ})
        self.names = names

    def __reduce__(self):
        return WorkerEnv, self.names


class Tally:
    """Holds one task to as many lines back as it sent.

    Both ends of the pipe are in one task and share one Tally, unpickled with it,
    so a task that is tried again counts anew.
    """

    def __init__(self):
        self.sent = self.got = 0
        self.ended, self.error = False, None

    def feed(self, records):
        """The lines to send. pipe reads them in a thread of its own: an error that was raised
        there would leave idem waiting for ever, so it is kept for answers to raise."""
        try:
            for record in records:
                self.sent += 1
                yield damaged(record) if "\ufffd" in record else record
            self.ended = True
        except Exception as error:  # pylint: disable=broad-except
            self.error = error

    def answers(self, lines):
        """The lines that came back, and at their end an error unless that was all of them."""
        for line in lines:
            self.got += 1
            yield line
        if self.error:
            raise self.error
        if not self.ended or self.got != self.sent:
            raise RuntimeError(f"idem answered {self.got} of {self.sent} records that it was sent; its messages are in this executor's stderr")


def damaged(record):
    """What is sent in place of a record that holds U+FFFD: a line that idem refuses.

    Where a file's bytes are not UTF-8, Spark's text reader puts U+FFFD, and idem
    would see a sound record: two that differ there would share an ID. A writer
    who means that character can spell it \\ufffd.
    """
    return "\ufffd " + record


def checked(command, on_error):
    """The command as pipe is to run it: what it exits with fails the task, unless all of it is in the answers.

    With --on-error emit the exit code is 2 where any record was refused, and these
    stand in their places as error objects. It is 2 for a bad recipe and a missing
    key too, but then no line is answered, which Tally sees.
    """
    if on_error == "emit":
        command = ["sh", "-c", '"$@"; code=$?; [ $code -eq 2 ] || exit $code', "sh", *command]
    return shlex.join(command)


def derive(records, command, env, on_error="stop"):
    """An RDD of what idem answers for an RDD of records, partition by partition, in order."""
    tally = Tally()
    piped = records.mapPartitions(tally.feed).pipe(checked(command, on_error), env=env, checkCode=True)
    return piped.mapPartitions(tally.answers)


def lines(context, folder):
    """The lines of a folder's files, in the order of the files' names, as idem counts them.

    Hadoop lists a folder in whatever order the file system has, and what matches
    a pattern in the order of names. It also ends a line at CR; idem only at LF.
    """
    context._jsc.hadoopConfiguration().set("textinputformat.record.delimiter", "\n")  # pylint: disable=protected-access
    return context.textFile(folder.rstrip("/") + "/*")


def options():
    parser = argparse.ArgumentParser(description="derive an ID for every record of a data set, through RDD.pipe")
    parser.add_argument("--idem", required=True, help="the program, shipped to every worker")
    parser.add_argument("--recipe", required=True, help="the recipe, shipped to every worker; it names the variable of the key")
    parser.add_argument("--key-env", default="IDEM_KEY", help="that variable, by name: the workers have its value")
    parser.add_argument("--on-error", choices=["stop", "emit"], default="stop", help="fail at the first bad record, or put an error object in its place")
    parser.add_argument("--annotate", metavar="FIELD", help="write each record back with its ID in this member, instead of the ID alone")
    parser.add_argument("input", help="a folder of files, one JSON record a line")
    parser.add_argument("output", help="a folder that does not exist yet")
    return parser.parse_args()


def main():
    o = options()
    context = SparkContext(conf=SparkConf().setAppName("derive-ids"))
    context.addFile(o.idem)
    context.addFile(o.recipe)
    # Shipped files lie in the folder that an executor runs in, and can be run there.
    command = ["./" + os.path.basename(o.idem), "derive", "--ndjson", "-r", "./" + os.path.basename(o.recipe), "--on-error", o.on_error]
    # A task takes no more cores than it was given: others run beside it.
    command += ["--workers", context.getConf().get("spark.task.cpus", "1")]
    if o.annotate:
        command += ["--annotate", o.annotate]
    derive(lines(context, o.input), [*command, "-"], WorkerEnv(o.key_env), o.on_error).saveAsTextFile(o.output)
    context.stop()


if __name__ == "__main__":
    main()
