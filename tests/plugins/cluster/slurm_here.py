"""A Slurm of one node on 127.0.0.1, in a folder of its own: own munge key and socket, own ports, no
accounting.

A job that was queued again begins after ``cred_expire`` seconds, not two minutes.
"""

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

NEEDED = ("sbatch", "slurmctld", "slurmd", "munged")
CONF = """
ClusterName=here
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CryptoType=crypto/munge
SlurmctldPort={controller}
SlurmdPort={daemon}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


@contextlib.contextmanager
def slurm(folder: Path, cpus: int) -> Iterator[dict[str, str]]:
    """The environment in which Slurm's commands speak to it. Skips where it is not installed or
    does not begin.
    """
    if missing := [
        name
        for name in NEEDED
        if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") is None
    ]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    if os.getuid():
        pytest.skip("the daemons need root")
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    folder.chmod(0o755)
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(1024))
    key.chmod(0o400)
    host, path = socket.gethostname().partition(".")[0], folder / "slurm.conf"
    ports = {"controller": _free(), "daemon": _free()}
    path.write_text(CONF.format(folder=folder, host=host, cpus=cpus, **ports))
    environment = {**os.environ, "SLURM_CONF": str(path), "PATH": f"{os.environ['PATH']}:/usr/sbin"}
    daemons = [
        [
            "munged",
            "-F",
            "--force",
            f"--key-file={key}",
            f"--socket={folder}/munge.socket",
            f"--pid-file={folder}/munged.pid",
            f"--log-file={folder}/munged.log",
            f"--seed-file={folder}/munged.seed",
        ],
        ["slurmctld", "-D", "-i"],
        ["slurmd", "-D", "-N", host],
    ]
    started = []
    try:
        for line in daemons:
            log = (folder / f"{line[0]}.out").open("w")
            started.append(subprocess.Popen(line, env=environment, stdout=log, stderr=log))
            time.sleep(1)
        if not _idle(environment):
            pytest.skip(
                f"Slurm does not begin here: {(folder / 'slurmctld.log').read_text()[-500:]}"
            )
        yield environment
    finally:
        subprocess.run(
            ["scancel", "--user=root"], env=environment, check=False, capture_output=True
        )
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(timeout=30)


def _idle(environment: dict[str, str]) -> bool:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        said = subprocess.run(
            ["sinfo", "-h", "-o", "%t"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if said.stdout.strip() in ("idle", "mix"):
            return True
        time.sleep(0.5)
    return False


def _free() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
