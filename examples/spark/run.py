"""Derives IDs on a cluster of two workers on this machine and compares them with one machine's.

    python3 run.py [--records 200000] [--partitions 8] [--measure]

Needs Java 17 or newer, Python 3.11 or newer and, unless --idem names the
program, Go. PySpark goes into a virtual environment of its own, kept in the
user's cache folder: some 460 MB come the first time. It exits 1 where a byte
differs, a check fails or a record got a wrong ID.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import bad_records
import generate
from cluster import Cluster

HERE = os.path.dirname(os.path.abspath(__file__))
RECIPE = os.path.join(HERE, "recipe.yaml")


def say(text):
    print(text, flush=True)


def python_with_spark(folder):
    """An interpreter that has the pinned PySpark, installed on first use."""
    pins = os.path.join(HERE, "requirements.txt")
    venv = os.path.join(folder, "venv")
    python, marker = os.path.join(venv, "bin", "python"), os.path.join(venv, "requirements.txt")
    if not (os.path.exists(marker) and same(marker, pins)):
        say(f"installing PySpark into {venv}")
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes",
                        "--requirement", pins], check=True, timeout=1500)
        shutil.copy(pins, marker)
    return python


def built(folder):
    out = os.path.join(folder, "idem")
    subprocess.run(["go", "build", "-buildvcs=false", "-o", out, "."], check=True, cwd=os.path.join(HERE, "..", ".."),
                   env={**os.environ, "CGO_ENABLED": "0"})
    return out


def same(one, other):
    with open(one, "rb") as a, open(other, "rb") as b:
        return a.read() == b.read()


def parts(folder):
    there = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted(os.path.join(folder, name) for name in there if name.startswith("part-"))


def joined(folder):
    """The parts of a result, one behind the other; empty where there is none."""
    out = b""
    for part in parts(folder):
        with open(part, "rb") as f:
            out += f.read()
    return out


def without_words(lines):
    """Error objects less what they say."""
    return [b"error" if line.startswith(b'{"error":') else line for line in lines.split(b"\n")]


class Run:
    """One run, in a folder that goes away with it."""

    def __init__(self, o, folder):
        self.o, self.folder, self.wrong = o, folder, []
        self.idem = os.path.abspath(o.idem) if o.idem else built(folder)
        self.data = os.path.join(folder, "data")
        key = os.path.join(folder, "k1.key")
        subprocess.run([self.idem, "key", "new", "--quiet", "--kid", "k1", "--out", key], check=True)
        with open(key, encoding="ascii") as f:
            self.key = f.read().strip()

    def expect(self, what, ok, otherwise=""):
        say(("ok: " if ok else "WRONG: ") + what + ("" if ok else "\n" + otherwise))
        if not ok:
            self.wrong.append(what)

    def here(self, files, *flags):
        """What one machine's idem says of some files, as one stream."""
        with subprocess.Popen(["cat", *files], stdout=subprocess.PIPE) as cat:
            done = subprocess.run([self.idem, "derive", "--ndjson", *flags, "-r", RECIPE, "-"], stdin=cat.stdout,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={"IDEM_KEY": self.key}, check=False)
        return done.stdout

    def submit(self, cluster, job, data, out, **more):
        modules = {"spark.submit.pyFiles": os.path.join(HERE, "derive_ids.py")} if job != "derive_ids.py" else {}
        return cluster.submit(os.path.join(HERE, job), "--idem", self.idem, "--recipe", RECIPE, "file://" + data, "file://" + out, conf=modules, **more)

    def ids(self, cluster):
        """The job as its user runs it."""
        o, out = self.o, os.path.join(self.folder, "ids")
        files = generate.write(self.data, o.records, o.partitions)
        code, said = self.submit(cluster, "derive_ids.py", self.data, out)
        self.expect("the job ended well", code == 0 and os.path.exists(os.path.join(out, "_SUCCESS")), said)
        if code:
            return
        self.expect(f"{o.partitions} partitions in, {o.partitions} out", len(parts(out)) == o.partitions)
        got = joined(out)
        self.expect(f"{o.records} lines, {len(got)} bytes: the same as one machine's, in the same order", got == self.here(files))
        pairs = set(zip(generate.operations(o.records), got.splitlines()))
        numbers, ids = ({pair[i] for pair in pairs} for i in (0, 1))
        self.expect(f"{len(numbers)} operations have {len(ids)} IDs, one each", len(pairs) == len(numbers) == len(ids) < o.records)

    def checks(self, cluster):
        """Bad records and failing programs, and what each left behind."""
        data, out = os.path.join(self.folder, "odd"), os.path.join(self.folder, "checked")
        odd = bad_records.write(data)
        code, said = self.submit(cluster, "checks.py", data, out)
        told = [line for line in said.splitlines() if line.startswith("check ")]
        self.expect(f"{len(told)} checks on the cluster", code == 0 and len(told) == 11, "\n".join(told) or said)
        for name, source, flags in [("ends-of-lines", "ends-of-lines", []), ("annotated", "ends-of-lines", ["--annotate", "id"]),
                                    ("emitted", "bad-records", ["--on-error", "emit"]), ("damaged", "damaged", ["--on-error", "emit"])]:
            want = b"".join(self.here([file], *flags) for file in odd[source])  # a stream a partition: errors count lines from its start
            got = joined(os.path.join(out, name))
            if name == "damaged":  # it is refused here and there, but in other words
                got, want = without_words(got), without_words(want)
            self.expect(f"{name}: as one machine's", got == want and len(want) > 1, f"{got!r}\n{want!r}")
        marked = {name for name in os.listdir(out) if os.path.exists(os.path.join(out, name, "_SUCCESS"))}
        self.expect("no job that failed left a whole result", marked == {"ends-of-lines", "annotated", "emitted", "damaged"}, str(marked))

    def secrecy(self, cluster):
        """The key is in no file of the cluster: no log, event or task."""
        found, read = [], 0
        for folder, _, names in os.walk(cluster.folder):
            for name in names:
                with open(os.path.join(folder, name), "rb") as f:
                    read += 1
                    if self.key.split("-")[2].encode() in f.read():
                        found.append(os.path.join(folder, name))
        self.expect(f"the key is in none of the cluster's {read} files", not found and read > 0, "\n".join(found))


def options():
    parser = argparse.ArgumentParser(description="derive IDs on a cluster of two workers on this machine and compare them with one machine's")
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--idem", help="the program; without it, it is built")
    parser.add_argument("--measure", action="store_true", help="measure the cost of a record instead (Linux)")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    parser.add_argument("--cache", default=os.path.join(cache, "idem-spark"), help="where PySpark is kept")
    return parser.parse_args()


def main():
    o = options()
    if not shutil.which("java"):
        sys.exit("java is not in PATH: Spark needs Java 17 or newer")
    python = python_with_spark(o.cache)
    with tempfile.TemporaryDirectory(prefix="idem-spark-") as folder:
        run = Run(o, folder)
        with Cluster(python, os.path.join(folder, "cluster"), worker_env={"IDEM_KEY": run.key}) as cluster:
            say(f"a master and two workers at {cluster.url}")
            if o.measure:
                import measure  # pylint: disable=import-outside-toplevel
                measure.tell(run, cluster)
            else:
                run.ids(cluster)
                run.checks(cluster)
        if not o.measure:
            run.secrecy(cluster)
    sys.exit(1 if run.wrong else 0)


if __name__ == "__main__":
    main()
