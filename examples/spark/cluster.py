"""A standalone Spark cluster on loopback: a master and workers as processes of their own.

    with Cluster(python, folder, workers=2) as cluster:
        cluster.submit("job.py", ...)

Ports are free ones and nothing listens beyond 127.0.0.1. Every process is held
by a pipe from this one and ends with it, however that ends.
"""

import json
import os
import socket
import subprocess
import time
import urllib.request

# Runs a program for as long as its standard input stays open.
HOLD = 'program=; trap "kill \\$program 2>/dev/null" TERM; "$@" </dev/null & program=$!; read -r _; kill $program; wait $program'


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Held:
    """A program that runs until it is closed."""

    def __init__(self, command, env, log):
        self.log = log
        with open(log, "wb") as out:
            self.process = subprocess.Popen(["sh", "-c", HOLD, "hold", *command], stdin=subprocess.PIPE, stdout=out, stderr=out, env=env)

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Cluster:
    """One master and some workers of one core each. Close it, or use it in a with.

    python is an interpreter that has PySpark. worker_env are variables that the
    workers have and nobody else: what they start, executors and Python, inherits them.
    """

    def __init__(self, python, folder, workers=2, worker_env=None):
        self.python, self.home, self.folder = python, spark_home(python), folder
        self.events = os.path.join(folder, "events")
        self.conf = os.path.join(folder, "conf")
        for made in (self.events, self.conf):
            os.makedirs(made)
        with open(os.path.join(self.conf, "spark-defaults.conf"), "w", encoding="utf-8") as out:
            out.write("spark.master.rest.enabled false\n")  # it would listen on a port of its own choice
        self.page = f"http://127.0.0.1:{free_port()}/json/"
        self.held = []
        try:
            self.url = self.start_master()
            for n in range(workers):
                self.start_worker(n, worker_env or {})
            self.await_workers(workers)
        except BaseException:
            self.close()
            raise

    def env(self, more=None):
        """The environment of Spark's programs; the key is in that of the workers alone."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_", "IDEM_"))}
        return {**kept, "SPARK_HOME": self.home, "SPARK_CONF_DIR": self.conf, "SPARK_LOCAL_IP": "127.0.0.1",
                "SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
                "PYSPARK_PYTHON": self.python, **(more or {})}

    def hold(self, name, command, more=None):
        program = os.path.join(self.home, "bin", "spark-class")
        self.held.append(Held([program, *command], self.env(more), os.path.join(self.folder, name + ".log")))

    def start_master(self):
        port, web = free_port(), self.page.split(":")[2].split("/")[0]
        self.hold("master", ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", web])
        return f"spark://127.0.0.1:{port}"

    def start_worker(self, n, worker_env):
        self.hold(f"worker-{n}", ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0", "--cores", "1",
                                  "--memory", "1g", "--work-dir", os.path.join(self.folder, f"work-{n}"), self.url], worker_env)

    def await_workers(self, workers, patience=300):
        until, seen = time.monotonic() + patience, "nothing"
        while time.monotonic() < until:
            for held in self.held:
                if held.process.poll() is not None:
                    raise RuntimeError(f"a process of the cluster ended; its log is\n{tail(held.log)}")
            try:
                with urllib.request.urlopen(self.page, timeout=5) as answer:
                    seen = json.load(answer)
                if seen["aliveworkers"] == workers:
                    return
            except OSError as error:
                seen = error
            time.sleep(0.2)
        raise RuntimeError(f"the workers did not come up within {patience} s: {seen}")

    def submit(self, job, *args, patience=900, conf=None, env=None):
        """Runs a job to its end; gives its exit code and what it said."""
        settings = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
                    "spark.ui.showConsoleProgress": "false", "spark.executor.memory": "512m", "spark.driver.memory": "512m",
                    "spark.eventLog.enabled": "true", "spark.eventLog.compress": "false", "spark.eventLog.dir": "file://" + self.events, **(conf or {})}
        command = [os.path.join(self.home, "bin", "spark-submit"), "--master", self.url]
        for name, value in settings.items():
            command += ["--conf", f"{name}={value}"]
        done = subprocess.run([*command, job, *args], env=self.env(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=patience, check=False)
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def worker_pids(self):
        """Processes under which everything runs that the workers start."""
        return [held.process.pid for held in self.held[1:]]

    def close(self):
        for held in reversed(self.held):
            held.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def spark_home(python):
    """Where an interpreter that has PySpark has Spark itself."""
    found = subprocess.run([python, "-c", "import os, pyspark; print(os.path.dirname(pyspark.__file__))"],
                           stdout=subprocess.PIPE, check=True, text=True)
    return found.stdout.strip()


def tail(path, size=4000):
    with open(path, "rb") as f:
        return f.read()[-size:].decode("utf-8", "replace")
