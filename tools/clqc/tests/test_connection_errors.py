# SPDX-License-Identifier: LGPL-2.1-or-later
"""clqc watch names the cause of each failed connection, on servers of this
machine."""
import contextlib
import http.server
import os
import ssl
import threading

import clips
import live
import pytest
import webserver

from clqc.common.errors import ClqcError
from clqc.decoding import gst
from clqc.live.judging.judge import Rules
from clqc.live.judging.stream_results import StreamResults
from clqc.live.sources.pipeline import LivePipeline

gst.init()


def speaks_tls(folder):
    """Starts a server with a certificate of its own, which ends with this
    process. Returns its port."""
    server = http.server.ThreadingHTTPServer(
        ('127.0.0.1', 0), http.server.BaseHTTPRequestHandler)
    server.handle_error = lambda *_: None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(webserver.certificate(folder))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


@pytest.fixture(name='asks')
def _asks():
    """Returns the port of a server that asks for a password."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(401)
            self.send_header('WWW-Authenticate', 'Basic realm="x"')
            self.end_headers()

        def log_message(self, *_):
            """Disables the log."""
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def test_clear_words(tmp_path, asks):
    """The cause of each failure, which GStreamer does not name, in its own
    sentence; and no password."""
    secure, refused = speaks_tls(tmp_path), live.free_port()
    silent, nobody = (live.free_port(live.socket.SOCK_DGRAM)
                      for _ in range(2))
    with live.socket.socket(live.socket.AF_INET,
                            live.socket.SOCK_DGRAM) as alone:
        alone.bind(('127.0.0.1', 0))
        taken = alone.getsockname()[1]
        no_program = (f'127.0.0.1:{refused} refuses the connection: no '
                      'program listens there')
        expected = {
            f'http://127.0.0.1:{refused}/x': no_program,
            f'rtsp://127.0.0.1:{refused}/x': no_program,
            f'rtmp://127.0.0.1:{refused}/a/b': no_program,
            f'http://127.0.0.1:{asks}/x':
                f'127.0.0.1:{asks} requires a user name and a password',
            f'http://me:s3cret@127.0.0.1:{asks}/x':
                f'127.0.0.1:{asks} refuses the user name or the password',
            f'https://127.0.0.1:{asks}/x':
                f'127.0.0.1:{asks} does not use TLS, which https:// needs',
            f'rtsps://127.0.0.1:{asks}/x':
                f'127.0.0.1:{asks} does not use TLS, which rtsps:// needs',
            f'http://127.0.0.1:{secure}/x':
                f'127.0.0.1:{secure} uses TLS, which needs https://',
            f'rtsp://127.0.0.1:{secure}/x':
                f'127.0.0.1:{secure} uses TLS, which needs rtsps://',
            f'https://localhost:{secure}/x':
                f'the certificate of localhost:{secure} is not trusted: '
                'self-signed certificate',
            f'rtsps://localhost:{secure}/x':
                f'the certificate of localhost:{secure} is not trusted: '
                'self-signed certificate',
            f'udp://127.0.0.1:{taken}':
                f'(process {os.getpid()}) uses port {taken} of 127.0.0.1 and '
                'does not share it',
            f'udp://127.0.0.1:{silent}':
                f'no data arrives at UDP port {silent} of 127.0.0.1',
            f'srt://127.0.0.1:{nobody}':
                f'no sender answers over SRT at 127.0.0.1:{nobody}',
            f'srt://:{live.free_port(live.socket.SOCK_DGRAM)}?mode=listener':
                'no sender connects to SRT port '}
        for scheme in 'http', 'rtsp', 'udp', 'srt':
            expected[f'{scheme}://nothing.invalid:5004/x'] = 'nothing.invalid'
        with live.Watch(tmp_path, *(
                f's{number}={uri}' for number, uri in enumerate(expected)),
                        PYTHONWARNINGS='ignore') as watch:
            for number, (uri, sentence) in enumerate(expected.items()):
                # a busy machine may first report GStreamer's own words
                live.until(lambda: any(
                    line.get('stream') == f's{number}' and
                    sentence in (line.get('error') or '')
                    for line in list(watch.lines)), live.GUARD,
                    lambda: f'{uri}: {watch.output()}')
            assert 's3cret' not in watch.output() + str(watch.lines)


def test_passphrase(tmp_path):
    """SRT tries again at once and for ever; clqc waits, as after any error."""
    port = live.free_port(live.socket.SOCK_DGRAM)
    with live.Sender('srt', f'{port}?passphrase=correct-horse&mode='
                     'listener&more='), \
            live.Watch(tmp_path,
                       f'wrong=srt://127.0.0.1:{port}?passphrase=wrong-horse',
                       f'none=srt://127.0.0.1:{port}') as watch:
        for name, sentence in (('wrong', 'refuses the passphrase'),
                               ('none', 'requires a passphrase, or has none')):
            state = watch.wait(stream=name, connection='waiting')
            assert state['error'] == f'127.0.0.1:{port} {sentence}'
        assert 'horse' not in watch.output() + str(watch.lines)


@contextlib.contextmanager
def played(uri, n_frames):
    """Plays a stream up to this number of frames, or to its error."""
    results = StreamResults(Rules(), lambda _: None)
    reader, writer = os.pipe()
    results.line = line = LivePipeline(uri, Rules(), writer, results.level,
                                       results.damage)
    reading = threading.Thread(target=results.read, args=(reader,),
                               daemon=True)
    reading.start()
    try:
        line.play(lambda: line.n_arrived >= n_frames)
        yield line
    finally:
        line.close()
        os.close(writer)
        reading.join(60)


@pytest.mark.skipif(not gst.Gst.ElementFactory.find('hlsdemux'),
                    reason='GStreamer has no HLS')
def test_playlist(tmp_path):
    """A playlist that a program has stopped to write, a part that is missing,
    and a playlist that is gone."""
    clips.run('-f', 'lavfi', '-i', 'testsrc2=size=64x48:rate=25:duration=3',
              '-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-g', '25', '-f',
              'hls', '-hls_time', '1', str(tmp_path / 'all.m3u8'))
    parts = tmp_path / 'all.m3u8'
    parts.write_text(parts.read_text().replace('#EXT-X-ENDLIST', ''))
    (tmp_path / 'main.m3u8').write_text(
        '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=99999\nall.m3u8\n')
    with webserver.serving(tmp_path) as server:
        at = server.address.partition('//')[2]
        absent = f'{at} has no stream or file at this path'
        with played(f'{server.address}/main.m3u8', 5) as line:
            assert line.why_no_data() == (
                f'the playlist of {at} names no new parts')
            (tmp_path / 'all2.ts').unlink()
            assert line.why_no_data() == (
                f'{at} does not have the parts that its playlist names: error '
                '404')
            parts.unlink()
            assert line.why_no_data() == absent
            with pytest.raises(ClqcError) as raised:  # of the demuxer
                line.play(lambda: False)
            assert str(raised.value) == absent
