"""A real Slurm of a few nodes on this machine, for tests: its own daemons, ports and folder, no root and no systemd.

The programs are Debian's slurmctld, slurmd and slurm-client. Messages are not signed (auth/none), so the daemons listen
to this machine alone: where its name does not mean 127.0.0.1, which is what Slurm binds to, there is no cluster.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

CONF = """ClusterName=bench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
SlurmctldPidFile={folder}/control.pid
SlurmctldLogFile={folder}/control.log
StateSaveLocation={folder}/state
SlurmdPidFile={folder}/%n.pid
SlurmdLogFile={folder}/%n.log
SlurmdSpoolDir={folder}/spool.%n
TmpFS={folder}/tmp.%n
SlurmdParameters=config_overrides
PlugStackConfig={folder}/plugstack.conf
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=1
ReturnToService=2
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmdTimeout=5
MessageTimeout=5
InactiveLimit=0
KillWait=2
"""
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
NEEDED = ("slurmctld", "slurmd", "sbatch", "srun", "scontrol")


def missing():
    """What is needed and not here."""
    lacks = [name for name in NEEDED if shutil.which(name, path=PATH) is None]
    try:
        loopback = socket.gethostbyname(os.uname().nodename) == "127.0.0.1"
    except OSError:
        loopback = False
    return lacks + ([] if loopback else ["a name of this machine that means 127.0.0.1"])


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def wait_until(condition, what, seconds=90):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"after {seconds} s: {what}")
        time.sleep(0.1)


class Cluster:
    """with Cluster(folder, 2) as cluster: cluster.run("srun", "-N2", "hostname")"""

    def __init__(self, folder, nodes):
        self.folder = Path(folder)
        self.nodes = [f"n{i + 1}" for i in range(nodes)]
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("SLURM_")}
        self.environment.update(PATH=PATH, SLURM_CONF=str(self.folder / "slurm.conf"))

    def __enter__(self):
        try:
            for attempt in (1, 2, 3):  # a port may be taken between the look and the bind
                self._configure()
                if self._start():
                    return self
                self._kill_all()
        except BaseException:
            self._kill_all()
            raise
        logs = "\n".join(path.read_text(errors="replace")[-2000:] for path in self.folder.glob("*.log"))
        raise RuntimeError("the cluster does not come up:\n" + logs)

    def __exit__(self, *_):
        self._kill_all()

    def run(self, *words, timeout=120, check=True, **more):
        """Runs a command beside the cluster; its standard output."""
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=timeout,
                              check=False, **more)
        if check and done.returncode != 0:
            raise RuntimeError(f"{words}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout if check else done

    def cut_power(self, node):
        """Ends the node's daemon and all that runs there, at once, and has Slurm know."""
        self._kill(self._daemon(node))
        # What holds a step comes before its tasks, or it would report their end. It has the node's log open; a task
        # has its node in its environment.
        for _ in range(20):
            rest = self._steps(node) + self._tasks(node)
            if not rest:
                break
            self._kill(rest)
            time.sleep(0.05)
        self.run("scontrol", "update", f"nodename={node}", "state=down", "reason=test")

    def _configure(self):
        if self.folder.exists():
            shutil.rmtree(self.folder)
        for name in ["state"] + [f"{kind}.{node}" for kind in ("spool", "tmp") for node in self.nodes]:
            (self.folder / name).mkdir(parents=True)
        ports = free_ports(len(self.nodes) + 1)
        host = os.uname().nodename.split(".")[0]
        lines = CONF.format(host=host, control=ports[0], folder=self.folder, user=pwd.getpwuid(os.getuid()).pw_name)
        for node, port in zip(self.nodes, ports[1:]):
            lines += (f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=4 RealMemory=4000 "
                      "State=UNKNOWN\n")
        lines += "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
        (self.folder / "slurm.conf").write_text(lines)
        (self.folder / "plugstack.conf").touch()
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")

    def _start(self):
        conf = self.environment["SLURM_CONF"]
        daemons = [["slurmctld", "-f", conf]] + [["slurmd", "-f", conf, "-N", node] for node in self.nodes]
        for words in daemons:
            if self.run(*words, check=False, stdin=subprocess.DEVNULL).returncode != 0:
                return False

        def all_idle():
            seen = self.run("sinfo", "-h", "-N", "-o", "%T", check=False).stdout.split()
            return seen == ["idle"] * len(self.nodes)

        try:
            wait_until(all_idle, "nodes are not idle", 30)
            return True
        except TimeoutError:
            return False

    def _daemon(self, name):
        try:
            return [int((self.folder / f"{name}.pid").read_text())]
        except (FileNotFoundError, ValueError):
            return []

    def _tasks(self, node=None):
        mark = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        of_node = f"SLURMD_NODENAME={node}".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                variables = path.read_bytes().split(b"\0")
            except OSError:
                continue
            if mark in variables and (node is None or of_node in variables):
                found.append(int(path.parent.name))
        return [pid for pid in found if pid != os.getpid()]

    def _steps(self, node="n*"):
        found = []
        for path in Path("/proc").glob("[0-9]*/comm"):
            try:
                if path.read_text().strip() != "slurmstepd":
                    continue
                logs = [os.readlink(link) for link in (path.parent / "fd").iterdir()]
            except OSError:
                continue
            if any(Path(log).match(f"{self.folder}/{node}.log") for log in logs):
                found.append(int(path.parent.name))
        return found

    @staticmethod
    def _kill(pids):
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def _kill_all(self):
        for name in self.nodes + ["control"]:
            self._kill(self._daemon(name))
        self._kill(self._steps())
        self._kill(self._tasks())
