# SPDX-License-Identifier: LGPL-2.1-or-later
"""Slurm on this machine only: its own programs, run by the user of the tests,
for a machine with the requested cores and memory."""
import contextlib
import getpass
import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

from farms import free_port, until

PATH = os.environ['PATH'] + ':/usr/sbin'
PROGRAMS = ('munged', 'slurmctld', 'slurmd', 'sbatch', 'squeue', 'scancel')

CONFIGURATION = '''
ClusterName=test
SlurmctldHost={host}({address})
SlurmctldPort={port}
SlurmdPort={other_port}
{listening}
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={folder}/munge.sock
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
MailProg=/bin/true
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
SlurmdParameters=config_overrides
NodeName={host} NodeAddr={address} CPUs={cores} RealMemory={memory} Gres=gpu:1
PartitionName={queue} Nodes={host} Default=YES MaxTime=INFINITE
'''

# slurmd requires cgroups even if nothing uses them, and ends if there are
# none, as in a root folder; not so with version 1.
CGROUPS = 'CgroupPlugin=cgroup/v1\n'


def _own_address() -> Optional[str]:
    """Returns the address of this machine's name: the only one where Slurm
    listens unless it listens on all. None: there is none, as in a root
    folder."""
    with contextlib.suppress(OSError), socket.socket() as one:
        address = socket.gethostbyname(socket.gethostname())
        one.bind((address, 0))
        return address
    return None


class Slurm:
    """A queue, its jobs and its programs, which end with the with block."""

    def __init__(self, folder: Path, queue: str, cores: int) -> None:
        self.folder = folder
        self.settings = {'SLURM_CONF': str(folder / 'slurm.conf'),
                         'PATH': PATH}
        self._programs: Dict[str, 'subprocess.Popen[bytes]'] = {}
        for name in 'state', 'spool':
            (folder / name).mkdir()
        (folder / 'munge.key').write_bytes(os.urandom(64))
        (folder / 'munge.key').chmod(0o400)
        address = _own_address()
        (folder / 'slurm.conf').write_text(CONFIGURATION.format(
            address=address or '127.0.0.1',
            listening='CommunicationParameters=NoCtldInAddrAny,NoInAddrAny'
            if address else '',  # munge rejects others
            host=socket.gethostname().split('.', maxsplit=1)[0],
            port=free_port(), other_port=free_port(), user=getpass.getuser(),
            folder=folder, cores=cores, memory=1 << 20, queue=queue))
        (folder / 'cgroup.conf').write_text(CGROUPS)
        (folder / 'gres.conf').write_text('Name=gpu File=/dev/null\n')

    def start(self) -> None:
        """Starts the queue and waits until it accepts jobs."""
        try:
            self._start('munged', '--force', '--foreground', *(
                f'--{name}={self.folder}/munge.{end}' for name, end in (
                    ('key-file', 'key'), ('socket', 'sock'),
                    ('pid-file', 'pid'), ('log-file', 'log'),
                    ('seed-file', 'seed'))))
            until((self.folder / 'munge.sock').exists)
            self._start('slurmctld', '-D')
            self._start('slurmd', '-D')
            until(lambda: 'idle' in self.ask('sinfo', '-h', '-o', '%T'))
        except AssertionError:
            raise AssertionError(self._reason()) from None

    def _start(self, *words: str) -> None:
        with open(self.folder / f'{words[0]}.output', 'wb') as log:
            # pylint: disable-next=consider-using-with
            self._programs[words[0]] = subprocess.Popen(
                words, env={**os.environ, **self.settings}, stdout=log,
                stderr=log)

    def _reason(self) -> str:
        """Returns the reason why the queue does not start: the programs that
        have ended, and the last output of each."""
        lines: List[str] = []
        for name, program in self._programs.items():
            path = self.folder / f'{name}.output'
            output = path.read_text(errors='replace')
            lines += [f'{name} ' + ('runs' if program.poll() is None
                                    else 'has ended') + ' and said:',
                      *output.splitlines()[-5:]]
        return '\n'.join(lines)

    def ask(self, *words: str) -> str:
        """Returns the output of a Slurm command."""
        return subprocess.run(
            words, env={**os.environ, **self.settings}, check=False,
            text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=60).stdout

    def jobs(self) -> Dict[str, str]:
        """Returns the states of jobs by their numbers."""
        return dict(line.split() for line in self.ask(
            'squeue', '-h', '-o', '%i %T').splitlines())

    def end(self) -> None:
        for number in self.jobs():
            self.ask('scancel', '--full', '--signal=KILL', number)
            self.ask('scancel', number)
        with contextlib.suppress(AssertionError):
            until(lambda: not self.jobs())
        for program in reversed(self._programs.values()):
            program.terminate()
        for program in self._programs.values():
            try:
                program.wait(60)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()


def is_there() -> bool:
    return all(shutil.which(name, path=PATH) for name in PROGRAMS)


@contextlib.contextmanager
def running(folder: Path, **how: Any) -> Iterator[Slurm]:
    """Starts a queue for this number of cores."""
    slurm = Slurm(folder, **how)
    try:
        slurm.start()
        yield slurm
    finally:
        slurm.end()
