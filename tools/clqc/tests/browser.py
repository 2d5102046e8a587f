# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages in headless Chromium: unmodified, and driven by a script."""
import json
import os
import re
import shutil
import signal
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Empty, Queue
from typing import Any, Dict, List, Tuple

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')

# Runs the steps of a test after the page is ready, and sends their result.
_DRIVER = '''
<script>
(async () => {
  const page = document.documentElement.dataset;
  const pause = time => new Promise(done => setTimeout(done, time));
  const key = name => (document.activeElement || document.body)
    .dispatchEvent(new KeyboardEvent('keydown',
      { key: name, bubbles: true, cancelable: true }));
  while (!page.ready)
    await pause(20);
  let answer;
  try {
    answer = await (async () => { STEPS })();
  } catch (error) {
    answer = { failed: String(error) };
  }
  await fetch('/answer', { method: 'POST', body: JSON.stringify(answer) });
})();
</script>
'''


def _arguments(folder: Path) -> List[str]:
    assert CHROMIUM is not None
    return [CHROMIUM, '--headless', '--no-sandbox', '--disable-gpu',
            '--no-first-run', '--disable-background-networking',
            '--window-size=1300,1400', '--enable-logging=stderr',
            f'--user-data-dir={folder / "profile"}']


def load(page: Path, folder: Path) -> Tuple[str, List[str]]:
    """Returns the final page in the browser, and its console output. The page
    is the file itself, offline."""
    done = subprocess.run(
        _arguments(folder) + ['--virtual-time-budget=20000', '--dump-dom',
                              page.as_uri()],
        capture_output=True, encoding='utf-8', timeout=120)
    console = [line for line in done.stderr.splitlines() if 'CONSOLE' in line]
    return done.stdout, console


def attributes(dom: str) -> Dict[str, str]:
    """Returns the data attributes of the element html."""
    start = re.search('<html[^>]*>', dom)
    assert start is not None
    return dict(re.findall('data-([a-z]+)="([^"]*)"', start.group()))


def drive(page: Path, folder: Path, steps: str) -> Any:
    """Returns the result of the steps, which are JavaScript. A server in this
    process provides the page: the clock of the browser is the real one."""
    text = page.read_text(encoding='utf-8')
    text = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', '',
                  text)
    driver = _DRIVER.replace('STEPS', steps)
    body = text.replace('</body>', driver + '</body>').encode('utf-8')
    answers: 'Queue[Any]' = Queue()

    class Handler(BaseHTTPRequestHandler):
        """Provides the page and receives the result."""

        def do_GET(self) -> None:
            found = self.path == '/'
            self.send_response(200 if found else 404)
            self.send_header('Content-Type', 'text/html; charset=utf-8')
            self.end_headers()
            self.wfile.write(body if found else b'')

        def do_POST(self) -> None:
            length = int(self.headers['Content-Length'])
            answers.put(json.loads(self.rfile.read(length)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = subprocess.Popen(
        _arguments(folder) + ['--remote-debugging-port=0',
                              f'http://127.0.0.1:{server.server_port}/'],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True)
    try:
        return answers.get(timeout=120)
    except Empty as error:
        raise AssertionError('The page never answered.') from error
    finally:
        os.killpg(browser.pid, signal.SIGKILL)
        browser.wait()
        server.shutdown()
        server.server_close()
