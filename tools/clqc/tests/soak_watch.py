# SPDX-License-Identifier: LGPL-2.1-or-later
"""Watches three streams for a long time, two of which have faults all the
time, and prints the delay of reports and the memory used: see
scripts/watch-soak.sh.

usage: soak_watch.py SECONDS [SEED]
"""
import collections
import json
import os
import random
import signal
import statistics
import sys
import tempfile
import time
import urllib.request

import live
import standstill

# Seconds without a frame that are a lost signal: standstills are known here.
LOSS = 3
POLICY = live.POLICY.replace(
    f'timeout = {live.LOSS}', f'timeout = {LOSS}') + """
[events.transport-error]
max-count = 0
"""

# Seconds after the earliest time at which a fault can be detected.
MOST_LATE = 3.0

# How much a process may grow from the first minutes to the end, in MiB.
MOST_GROWTH = 8.0

# A gap of a live stream is reported after 24 further frames.
GAP_SECONDS = 3.0

# Events of lost data.
DAMAGE = ('transport-error', 'gap', 'decode-error')

# For a fault: the event, its minimum duration, other possible events.
FAULTS = {
    'picture black': ('black', 0.5, {'freeze'}),
    'picture white': ('white', 0.5, {'freeze'}),
    'picture still': ('freeze', 0.5, set()),
    'frames off': ('signal-loss', LOSS, {'gap'}),
    'datagrams lost': ('transport-error', 0, set(DAMAGE)),
    'sound off': ('silence', 0.5, set())}
OF_STREAM = {
    'cam': ('picture black', 'picture white', 'picture still', 'frames off',
            'datagrams lost', 'sender killed', 'decoder killed',
            'broker restarted'),
    'chan': ('picture black', 'picture still', 'sound off',
             'sender killed', 'decoder killed')}
BACK = {'picture': 'picture moving', 'frames': 'frames on',
        'datagrams': 'datagrams kept', 'sound': 'sound on'}


def memory(pid):
    """Returns the resident memory in MiB."""
    with open(f'/proc/{pid}/status', encoding='utf-8') as file:
        for line in file:
            if line.startswith('VmRSS'):
                return int(line.split()[1]) / 1024
    return 0.0


class Soak:
    """All processes, and the messages that were received."""

    def __init__(self, folder, chance):
        self.folder = folder
        self.chance = chance
        self.port = live.free_port(live.socket.SOCK_DGRAM)
        self.good_port = live.free_port(live.socket.SOCK_DGRAM)
        self.page = live.free_port()
        self.fifo = os.path.join(folder, 'chan')
        os.mkfifo(self.fifo)
        self.broker = live.Broker(folder, keeps=True)
        self.heard = live.Subscriber(self.broker.port, 'soak', '-c', '-i',
                                     'heard')
        self.good = live.Sender('ts', self.good_port)
        self.senders = {'cam': self.sender('cam')}
        self.watch = live.Watch(
            folder, f'cam={live.sdp(folder, self.port)}',
            f'chan={self.fifo}', f'good=udp://127.0.0.1:{self.good_port}',
            '--mqtt', f'mqtt://127.0.0.1:{self.broker.port}/soak',
            '--prometheus', str(self.page), policy=POLICY,
            is_long=True)
        self.senders['chan'] = self.sender('chan')
        self.late = collections.defaultdict(list)
        self.missed = []
        self.spans = []  # stream, start, end, kinds that may begin
        self.sizes = collections.defaultdict(list)
        self.gaps = []   # stream, start, end: a sender was paused
        self.stood = standstill.watched()  # start, end: of the machine

    def sender(self, name):
        return live.Sender('rtp', self.port) if name == 'cam' else (
            live.Sender('fifo', self.fifo))

    def close(self):
        for process in (self.watch, self.heard, self.broker, self.good,
                        *self.senders.values()):
            process.kill()

    def child(self, name):
        """Returns the process that decodes a stream. Processes start in order,
        and are identified by their open files."""
        for pid in self.watch.children():
            descriptors = os.path.join('/proc', str(pid), 'fd')
            for fd in os.listdir(descriptors):
                try:
                    link = os.readlink(os.path.join(descriptors, fd))
                except OSError:
                    continue
                if name == 'chan' and link == self.fifo:
                    return pid
                if link.startswith('socket:') and name != 'chan':
                    port = self.port if name == 'cam' else self.good_port
                    if link[8:-1] in inodes(port):
                        return pid
        return None

    def sample(self):
        self.sizes['clqc watch'].append(memory(self.watch.process.pid))
        for name in ('good', *OF_STREAM):
            pid = self.child(name)
            if pid:
                self.sizes[f'process of {name} {pid}'].append(memory(pid))
        with urllib.request.urlopen(
                f'http://127.0.0.1:{self.page}/metrics', timeout=60) as page:
            return page.read().decode()

    # --- faults ---

    def event(self, name, command, least):
        """Causes a fault of the picture or the sound."""
        kind, _, __ = FAULTS[command]
        sent = self.senders[name].send(command)
        try:
            came, _ = self.heard.wait(
                f'soak/{name}/event', least + MOST_LATE, since=sent,
                event=kind, state='start')
            self.late[command].append(came - sent - least)
        except AssertionError:
            self.missed.append((name, command, sent))
        # longer than unhealthy-after, so that the state changes
        time.sleep(self.chance.uniform(0.5, 1.5))
        back = self.senders[name].send(BACK[command.split()[0]])
        self.heard.wait(f'soak/{name}/event', 60, since=back - 0.5, event=kind,
                        state='end')

    def wait_connected(self, name, since):
        self.heard.wait(f'soak/{name}/state', 60, since=since,
                        connection='connected')

    def sender_killed(self, name):
        sent = time.time()
        self.take_gaps(name, self.senders[name])
        self.senders[name].kill()
        topic = f'soak/{name}/' + ('event' if name == 'cam' else 'state')
        fields = {'event': 'signal-loss', 'state': 'start'} if (
            name == 'cam') else {'connection': 'waiting'}
        came, _ = self.heard.wait(topic, 60, since=sent, **fields)
        self.late[f'sender killed ({name})'].append(
            came - sent - (LOSS if name == 'cam' else 0.0))
        back = time.time()
        self.senders[name] = self.sender(name)
        if name == 'cam':
            self.heard.wait(topic, 60, since=back, event='signal-loss',
                            state='end')
        else:
            self.wait_connected(name, back)

    def decoder_killed(self, name):
        sent = time.time()
        os.kill(live.until(lambda: self.child(name), 60, 'no process'),
                signal.SIGKILL)
        if name == 'chan':  # its sender has lost its receiver
            self.take_gaps(name, self.senders[name])
            self.senders[name].kill()
            self.senders[name] = live.Sender('fifo', self.fifo, waits=False)
        came, _ = self.heard.wait(f'soak/{name}/state', 60, since=sent,
                                  connection='waiting')
        self.late['decoder killed'].append(came - sent)
        self.wait_connected(name, sent)
        if name == 'chan':
            self.senders[name].answer()

    def broker_restarted(self, name):
        """Restarts the broker: events in the meantime must be reported
        later."""
        port = self.broker.port
        self.broker.stop()
        sent = self.senders[name].send('picture black')
        time.sleep(2)
        self.senders[name].send('picture moving')
        self.broker = live.Broker(self.folder, port, keeps=True)
        back = time.time()
        for state in ('start', 'end'):
            self.heard.wait(f'soak/{name}/event', 60, since=sent,
                            event='black', state=state)
        self.heard.wait('soak/status', 60, since=sent, text='online')
        self.late['broker restarted (after it is back)'].append(
            time.time() - back)

    def fault(self):
        name = self.chance.choice(list(OF_STREAM))
        what = self.chance.choice(OF_STREAM[name])
        start = time.time()
        if what in FAULTS:
            kind, least, more = FAULTS[what]
            self.event(name, what, least)
            kinds = {kind, *more}
        else:
            kinds = {'sender killed': {'signal-loss', *DAMAGE},
                     'decoder killed': set(DAMAGE),
                     'broker restarted': {'black', 'freeze'}}[what]
            {'sender killed': self.sender_killed,
             'decoder killed': self.decoder_killed,
             'broker restarted': self.broker_restarted}[what](name)
        self.heard.wait(f'soak/{name}/state', 60, since=start, healthy=True)
        live.until(lambda: self.last_state(name)['healthy'], 20,
                   f'{name} is not healthy')
        self.spans.append((name, start, time.time(), kinds))

    def last_state(self, name):
        return [line for line in self.watch.lines if line['type'] == 'state'
                and line['stream'] == name][-1]

    # --- expected messages ---

    def take_gaps(self, name, sender):
        """Adds the gaps of senders: if a busy machine delays a sender, watch
        must report the fault, although this test did not cause it."""
        gaps, stood = sender.gaps()
        self.gaps += [(name, *gap) for gap in gaps]
        self.stood += map(tuple, stood)

    def is_of_gap(self, line):
        """Returns whether the sender of this stream was paused while no frame
        arrived, or the whole machine, as observed by this process or any
        sender."""
        gaps = [gap[1:] for gap in self.gaps if gap[0] == line['stream']]
        return line['event'] in ('signal-loss', 'freeze', *DAMAGE) and any(
            start <= line['came'] <= end + 2
            for start, end in [*gaps, *self.stood])

    def invented(self):
        """Returns events that no fault explains."""
        def is_meant(line):
            return any(name == line['stream'] and line['event'] in kinds
                       and start <= line['came'] <= end + (
                           GAP_SECONDS if line['event'] == 'gap' else 0)
                       for name, start, end, kinds in self.spans)
        return [line for line in self.watch.lines
                if line['type'] == 'event' and line['state'] == 'start'
                and not is_meant(line) and not self.is_of_gap(line)]

    def growth(self):
        """Returns the MiB at the start and at the end, for processes that ran
        all the time."""
        for name, sizes in self.sizes.items():
            if name == 'clqc watch' or 'good' in name:
                n = max(1, len(sizes) // 10)
                yield (name, statistics.median(sizes[n:3 * n] or sizes),
                       statistics.median(sizes[-2 * n:]))


def inodes(port):
    """Returns the inodes of UDP sockets that are bound to a port."""
    with open('/proc/net/udp', encoding='utf-8') as file:
        rows = [line.split() for line in file][1:]
    return {row[9] for row in rows
            if int(row[1].rpartition(':')[2], 16) == port}


def counted(page):
    """Returns events by stream and kind, from the page for Prometheus."""
    found = {}
    for line in page.split('\n'):
        if line.startswith('clqc_events_total{'):
            labels, _, value = line.partition('} ')
            stream = labels.split('stream="')[1].split('"')[0]
            kind = labels.split('event="')[1].split('"')[0]
            if float(value):
                found[stream, kind] = int(float(value))
    return found


def main(seconds, seed):
    print(f'soak: {seconds:g} s, seed {seed}', flush=True)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(folder, random.Random(seed))
        try:
            for name in ('good', *OF_STREAM):
                soak.watch.wait(60, stream=name, type='state', healthy=True)
            time.sleep(2)
            begin, n_faults, reported = time.time(), 0, 0.0
            while time.time() - begin < seconds:
                soak.fault()
                n_faults += 1
                page = soak.sample()
                if time.time() - reported > 300:
                    reported = time.time()
                    print(f'{time.time() - begin:6.0f} s: {n_faults} faults, '
                          f'{len(soak.missed)} missed, '
                          f'{len(soak.invented())} invented, '
                          f'{soak.sizes["clqc watch"][-1]:.1f} MiB',
                          flush=True)
                time.sleep(soak.chance.uniform(0.5, 2))
            time.sleep(1)
            page = soak.sample()
            for name, sender in (('good', soak.good), *soak.senders.items()):
                soak.take_gaps(name, sender)
            starts = collections.Counter(
                (line['stream'], line['event']) for line in soak.watch.lines
                if line['type'] == 'event' and line['state'] == 'start')
            if counted(page) != dict(starts):
                failures.append(f'Prometheus counts {counted(page)}, and the '
                                f'lines {dict(starts)}')
            invented = soak.invented()
            good = [line for line in soak.watch.lines
                    if line['stream'] == 'good' and line['type'] == 'state']
        except BaseException:
            print(soak.watch.output()[-4000:])
            raise
        finally:
            soak.close()
        print(f'{n_faults} faults in {time.time() - begin:.0f} s, '
              f'{len(soak.missed)} missed, {len(invented)} invented; '
              f'senders were late {len(soak.gaps)} times, and the machine '
              f'stood still {len(soak.stood)} times')
        print('seconds from the moment at which a fault could be known to '
              'its message at a subscriber of the broker:')
        for what, late in sorted(soak.late.items()):
            print(f'  {what:36} {len(late):4} times, median '
                  f'{statistics.median(late):6.3f}, greatest '
                  f'{max(late):6.3f}')
        print('resident memory in MiB, in the first minutes and at the end:')
        for name, first, last in soak.growth():
            print(f'  {name:36} {first:7.1f} {last:7.1f}')
            if last - first > MOST_GROWTH:
                failures.append(f'{name} has grown by {last - first:.1f} MiB')
        failures += [f'missed: {row}' for row in soak.missed]
        failures += [f'invented: {json.dumps(line)}' for line in invented]
        if len(good) > 2 or any(state['restarts'] for state in good):
            failures.append(f'the good stream was disturbed: {good}')
    print('\n'.join(failures) or 'soak: ok')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(float(sys.argv[1]),
                  int(sys.argv[2]) if len(sys.argv) > 2
                  else int(time.time())))
