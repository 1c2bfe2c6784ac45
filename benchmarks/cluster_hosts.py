"""Training on two hosts with a network between them that is cut: sudo python benchmarks/cluster_hosts.py

The hosts are network namespaces of Linux (`ip netns`) with an address, a host name and a file system of their own,
connected by a virtual cable. A Ray head and the driver run on the first host, a Ray node on the second; each has room
for one worker. The text is on the first host only. Trials:

    none    nothing happens
    short   the cable is pulled for 4 seconds
    long    it is pulled for so long that Ray gives up the second host
    rejoin  the same, and then `ray start` is run on the second host again

Prints a line of JSON for each: tokens trained and expected, lost workers, workers at the end, and the mean ARI of the
planted senses.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import mean
from typing import Any

from polyseme import SenseModel
from polyseme.corpus.planted import plant
from polyseme.evaluation.planted_recovery import score_planted

HEAD, NODE = "10.213.77.1", "10.213.77.2"  # exist in the two namespaces only
EPOCHS = 60
SETTINGS = ["--senses", "2", "--dim", "32", "--seed", "1", "--threads", "1", "--subsample", "0", "--min-count", "1"]
SETTINGS += ["--epochs", str(EPOCHS), "--examples", "0", "--quiet", "--workers", "2", "--ray-address", f"{HEAD}:6379"]
SHORT_SECONDS = 4
TRIALS = ("none", "short", "long", "rejoin")


class Host:
    """A host: commands run in its network, with its name and its view of the folder of the trial."""

    def __init__(self, name: str, address: str, folder: Path, environment: dict[str, str]) -> None:
        self.name, self.address, self.folder, self.environment = name, address, folder, environment
        run("ip", "netns", "add", name)
        # This process keeps the host name and the mounts of the host alive.
        setup = f"hostname {name}; mount --bind {folder}/hosts /etc/hosts"
        setup += f"; mount --bind {folder}/resolv.conf /etc/resolv.conf"
        setup += f"; mount -t tmpfs tmpfs {folder}" if address == NODE else ""
        setup += "; echo ready; exec cat"
        command = ["ip", "netns", "exec", name, "unshare", "--uts", "--mount", "sh", "-c", setup]
        self.keeper = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.keeper.stdout is not None
        self.keeper.stdout.readline()
        self("ip", "link", "set", "lo", "up")

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        enter = ["nsenter", "--target", str(self.keeper.pid), "--net", "--uts", "--mount", f"--wd={self.folder}"]
        return subprocess.Popen([*enter, *command], env=self.environment, stdout=subprocess.DEVNULL)

    def __call__(self, *command: str) -> None:
        if self.start(*command).wait():
            raise SystemExit(f"the command failed on {self.name}: {' '.join(command)}")

    def start_ray(self) -> None:
        head = ["--head", "--port", "6379", "--include-dashboard", "false", "--temp-dir", str(self.folder / "ray")]
        place = head if self.address == HEAD else ["--address", f"{HEAD}:6379"]
        common = ["--node-ip-address", self.address, "--num-cpus", "1", "--disable-usage-stats"]
        ray = str(Path(sys.executable).with_name("ray"))
        self(ray, "start", *place, *common, "--object-store-memory", str(100 << 20))

    def end_processes(self) -> None:
        """End all processes of this host. `ray stop` would end those of all hosts: they share the list of processes."""
        for pid in subprocess.run(["ip", "netns", "pids", self.name], capture_output=True, text=True).stdout.split():
            if int(pid) != self.keeper.pid:
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)

    def close(self) -> None:
        self.end_processes()
        self.keeper.kill()
        self.keeper.wait()
        run("ip", "netns", "delete", self.name)


def run(*command: str) -> None:
    subprocess.run(command, check=True)


@contextmanager
def two_hosts(folder: Path) -> Iterator[tuple[Host, Host]]:
    mark = secrets.token_hex(2)
    environment = {**os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    environment["RAY_worker_niceness"] = "0"  # Ray's default lets workers starve on a busy machine
    (folder / "hosts").write_text("127.0.0.1 localhost\n")
    (folder / "resolv.conf").touch()
    hosts = [Host(f"ps-{mark}-{i}", address, folder, environment) for i, address in enumerate((HEAD, NODE))]
    try:
        names = [host.name for host in hosts]
        run("ip", "-n", names[0], "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", names[1])
        for host in hosts:
            host("ip", "address", "add", f"{host.address}/24", "dev", "cable")
            host("ip", "link", "set", "cable", "up")
            host("ip", "route", "add", "default", "dev", "cable")  # Ray finds its own address by this route
        for host in hosts:
            host.start_ray()
        yield hosts[0], hosts[1]
    finally:
        for host in hosts:
            host.close()


def trial(kind: str) -> dict[str, Any]:
    planted = plant(sentences=8000, difficulty=0.3, seed=7)
    with tempfile.TemporaryDirectory(prefix="ps") as name, two_hosts(folder := Path(name)) as (head, node):
        model = folder / "model"
        text = planted.write(folder / "planted.txt")
        head(sys.executable, "-m", "polyseme", "encode", str(text), str(folder / "planted.corpus"), "--quiet")
        arguments = [sys.executable, "-m", "polyseme", "train", str(folder / "planted.corpus"), str(model), *SETTINGS]
        process = head.start(*arguments)
        log = folder / "model.training" / "training.jsonl"
        wait_for(process, lambda: "training_progress" in log.read_text() if log.exists() else False)
        started = time.monotonic()
        if kind != "none":
            head("ip", "link", "set", "cable", "down")
            if kind == "short":
                time.sleep(SHORT_SECONDS)
            else:
                wait_for(process, lambda: lost_in_ray(head))
            head("ip", "link", "set", "cable", "up")
        cut = time.monotonic() - started
        if kind == "rejoin":
            node.end_processes()
            node.start_ray()
        if process.wait():
            raise SystemExit(f"the run with the fault '{kind}' failed")
        trained = SenseModel.load(model)
        events = [json.loads(line) for line in (model / "training.jsonl").read_text().splitlines()]
        ari = mean(score.ari for score in score_planted(trained, planted))
    return {
        "trial": kind,
        "seconds cut": round(cut, 1),
        "tokens": trained.training["tokens"],
        "expected": EPOCHS * sum(map(len, planted.sentences)),
        "hosts": [event["hosts"] for event in events if event["event"] == "cluster_started"],
        "lost": sum(event["event"] == "worker_lost" for event in events),
        "workers": trained.training["workers"],
        "ari": round(ari, 3),
    }


def lost_in_ray(head: Host) -> bool:
    """Whether Ray has given up a node."""
    script = f"import ray; ray.init('{HEAD}:6379', logging_level='ERROR'); exit(all(n['Alive'] for n in ray.nodes()))"
    time.sleep(5)
    return head.start(sys.executable, "-c", script).wait() == 0


def wait_for(process: subprocess.Popen[bytes], condition: Callable[[], bool]) -> None:
    while process.poll() is None and not condition():
        time.sleep(0.2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trials", nargs="*", default=TRIALS, metavar="TRIAL")
    for kind in parser.parse_args().trials:
        print(json.dumps(trial(kind)), flush=True)


if __name__ == "__main__":
    main()
