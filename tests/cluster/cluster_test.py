"""Studies over a cluster: cluster_test.py BENCH. A node dies in the middle, and the result is whole."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from slurm_cluster import Cluster, missing, wait_until

BENCH = None
STUDY = """schema: 1
name: study
measure: {cache: hot, warmup: 0ms, max_time: MAX_TIME, min_samples: 2, processes: 2, precision: 0.01%}
experiments:
  - workload: copy
    scope: end_to_end
    baseline: {streams: 1}
    axes: {variant: host, size: [1000, 2000, 3000, 4000], streams: [1, 2]}
"""


def ids_of(path):
    return [case["id"] for case in json.loads(path.read_text())["apod_cases"] if case["status"] == "measured"]


class StudyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="apod_cluster.")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write_study("20ms")
        plan = self.bench("--config", "study.yaml", "--benchmark_list_tests")
        self.ids = plan.stdout.split()
        self.assertEqual(len(self.ids), 8)

    def write_study(self, max_time):
        (self.folder / "study.yaml").write_text(STUDY.replace("MAX_TIME", max_time))

    def bench(self, *words):
        return subprocess.run([BENCH, *words], cwd=self.folder, capture_output=True, text=True, check=False)

    def check_whole(self, name="r.json"):
        self.assertEqual(ids_of(self.folder / name), self.ids)

    def texts(self, pattern):
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob(pattern)))


@unittest.skipIf(missing(), "not here: " + ", ".join(missing()))
class SlurmTest(StudyTest):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory(prefix="apod_slurm.")
        cls.addClassCleanup(cls.home.cleanup)

    def cluster(self):
        cluster = Cluster(Path(self.home.name) / self._testMethodName, 2)
        cluster.__enter__()
        self.addCleanup(cluster.__exit__)
        return cluster

    def submit(self, cluster, *words):
        return cluster.run(BENCH, "submit", "--config", "study.yaml", "--backend", "host", "--out", "r.json", *words,
                           cwd=self.folder, check=False, timeout=240)

    def test_an_array_is_merged(self):
        cluster = self.cluster()
        done = self.submit(cluster, "--nodes", "3", "--array-throttle", "2", "--wait")
        self.assertEqual(done.returncode, 0, done.stderr + self.texts("*.log"))
        self.assertIn("Submitted 3 shards as job", done.stdout)
        self.assertIn("Wrote r.json", done.stdout)
        self.check_whole()
        status = cluster.run(BENCH, "status", "r.json", cwd=self.folder)
        self.assertIn("3 of 3 shards are measured", status)

    def test_a_node_dies_and_the_result_is_whole(self):
        self.write_study("700ms")  # so that there is a middle
        cluster = self.cluster()
        self.assertEqual(self.submit(cluster, "--nodes", "2").returncode, 0)

        journal = self.folder / "r.1-of-2.json.journal"
        wait_until(lambda: journal.exists() and len(journal.read_text().splitlines()) > 2,
                   "no journal: " + self.texts("*.log"))
        cluster.cut_power(cluster.run("squeue", "-h", "-j", "1_1", "-o", "%N").strip())
        wait_until((self.folder / "r.json").exists, "no result", 180)
        wait_until(lambda: not cluster.run("squeue", "-h"), "jobs do not end")
        self.check_whole()
        self.assertRegex(self.texts("r.slurm-*.log"), r"kept [1-9]\d* measurements? from the interrupted run")

    def test_a_lost_shard_is_named(self):
        self.write_study("700ms")
        cluster = self.cluster()
        self.assertEqual(self.submit(cluster, "--nodes", "2").returncode, 0)
        wait_until((self.folder / "r.2-of-2.json.journal").exists, "no second shard")
        cluster.run("scancel", "1_2")
        wait_until(lambda: not cluster.run("squeue", "-h"), "jobs do not end")
        self.assertIn("shard 2/2 is incomplete", self.texts("r.slurm-merge.log"))
        status = cluster.run(BENCH, "status", "r.json", cwd=self.folder, check=False)
        self.assertEqual(status.returncode, 4)
        self.assertIn("1 of 2 shards are measured", status.stdout)
        # The command that is named measures what is missing, from where it stopped.
        again = self.bench("--config", "study.yaml", "--backend", "host", "-q", "--out", "r.json", "--shard", "2/2")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("all shards are measured and merged: r.json", again.stderr)
        self.check_whole()

    def test_srun_just_works(self):
        cluster = self.cluster()
        cluster.run("srun", "-N2", "-n3", BENCH, "--config", "study.yaml", "--backend", "host", "-q", "--out",
                    "r.json", cwd=self.folder)
        self.check_whole()

    def test_what_slurm_refuses_is_said(self):
        cluster = self.cluster()
        done = self.submit(cluster, "--nodes", "2", "--", "--partition=none")
        self.assertEqual(done.returncode, 1)
        self.assertIn("sbatch: ", done.stderr)


def ranks(variable, folder):
    """The processes of the study there that a launcher gave a rank, by that."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(path / "exe") != BENCH or os.readlink(path / "cwd") != str(folder):
                continue
            if b"__worker" in (path / "cmdline").read_bytes():
                continue
            for entry in (path / "environ").read_bytes().split(b"\0"):
                name, _, value = entry.decode(errors="replace").partition("=")
                if name == variable:
                    found[int(value)] = int(path.name)
        except OSError:
            continue
    return found


class MpiTest(StudyTest):
    LAUNCHERS = {
        "OMPI_COMM_WORLD_RANK": ["mpirun.openmpi", "--oversubscribe", "--mca", "oob_tcp_if_include", "lo"],
        "PMI_RANK": ["mpirun.mpich", "-iface", "lo"],
    }

    def start(self, variable):
        words = self.LAUNCHERS[variable]
        if shutil.which(words[0]) is None:
            self.skipTest("not here: " + words[0])
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM_", "PMI"))}
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        return subprocess.Popen([*words, "-n", "3", BENCH, "--config", "study.yaml", "--backend", "host", "-q", "--out",
                                 "r.json"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=environment)

    def launch(self, variable):
        with self.start(variable) as launcher:
            out, said = launcher.communicate(timeout=120)
        self.assertEqual(launcher.returncode, 0, out + said)
        self.check_whole()
        return said

    def lose_a_rank(self, variable):
        self.write_study("300ms")  # so that there is a middle
        journal = self.folder / "r.2-of-3.json.journal"
        with self.start(variable) as launcher:
            try:
                wait_until(lambda: journal.exists() and len(journal.read_text().splitlines()) > 1, "no journal")
                os.kill(ranks(variable, self.folder)[1], signal.SIGKILL)
                launcher.communicate(timeout=60)
            finally:
                launcher.kill()
        self.assertNotEqual(launcher.returncode, 0)
        self.assertFalse((self.folder / "r.json").exists())
        # Launched again, it goes on where it stopped.
        self.assertRegex(self.launch(variable), r"kept [1-9]\d* measurements? from the interrupted run")

    def test_open_mpi(self):
        self.assertIn("chosen by OMPI_COMM_WORLD_RANK", self.launch("OMPI_COMM_WORLD_RANK"))

    def test_mpich(self):
        self.assertIn("chosen by PMI_RANK", self.launch("PMI_RANK"))

    def test_a_rank_of_open_mpi_dies(self):
        self.lose_a_rank("OMPI_COMM_WORLD_RANK")

    def test_a_rank_of_mpich_dies(self):
        self.lose_a_rank("PMI_RANK")


if __name__ == "__main__":
    BENCH = os.path.abspath(sys.argv.pop(1))
    unittest.main()
