"""Starts servers of this package and puts load on them, on this machine only. For `check`, `compare` and `soak`."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
HEADER = "Authorization: Bearer ada"


def run(*command, log=None):
    """Runs a command in the package, and ends the script if it fails."""
    result = subprocess.run(command, cwd=PACKAGE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{result.stdout[-6000:]}")
    return result.stdout


def products(*options):
    return Path(run("swift", "build", *options, "--show-bin-path").strip().splitlines()[-1])


class Server:
    """A process of a server that listens on a free port, with a database in a folder."""

    def __init__(self, binary, folder, *options, command=None, environment=None):
        """`command` runs the binary in a tool, instead of the binary alone."""
        folder = Path(folder)
        self.database = folder / f"{Path(binary).name}.sqlite"
        self.log = folder / f"{Path(binary).name}.log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [*(command or [binary]), "--port", "0", "--database", self.database, *options],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        end = time.monotonic() + 120  # Valgrind on a busy machine is slow
        while not (match := re.search(r"listening on 127\.0\.0\.1:(\d+)", self.log.read_text())):
            if self.process.poll() is not None or time.monotonic() > end:
                self.kill()
                sys.exit(f"The server did not start:\n{self.log.read_text()}")
            time.sleep(0.05)
        self.port = int(match[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def terminate(self):
        """Sends SIGTERM."""
        self.process.terminate()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def lines(self):
        return self.log.read_text().splitlines()

    def memory(self):
        """The resident memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024

    def processor_time(self):
        """The seconds that the process has spent on processors."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"


class Load:
    """What wrk reports: requests per second, the latency in ms that 99 % of requests stay below, errors, and
    the microseconds of processor time of the server for one request."""

    def __init__(self, output):
        self.rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])
        value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", output).groups()
        self.p99 = float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]
        self.requests = int(re.search(r"(\d+) requests in", output)[1])
        refused = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
        sockets = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", output)
        self.refused = int(refused[1]) if refused else 0
        self.errors = self.refused + (sum(map(int, sockets.groups())) if sockets else 0)


def wrk(server, path, seconds, connections=16):
    begin = server.processor_time()
    load = Load(run("wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-H", HEADER, server.url(path)))
    load.cost = (server.processor_time() - begin) / load.requests * 1_000_000
    return load
