/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Builds the page.
const problems = [];
addEventListener('error', event => problems.push(event.message));
addEventListener('unhandledrejection',
  event => problems.push(String(event.reason)));

// Shows the time from, to in seconds; not less than four frames of it.
function setView(from, to) {
  const least = Math.min(4 * frameTime(), data.end);
  if (to - from < least) {
    const middle = (from + to) / 2;
    from = middle - least / 2;
    to = middle + least / 2;
  }
  const width = Math.min(to - from, data.end);
  state.from = Math.min(Math.max(from, 0), data.end - width);
  state.to = state.from + width;
  draw(true);
}

function draw(all) {
  if (!state.level || !data.frames)
    return;
  if (all) {
    drawCharts();
    drawLanes();
    drawHistograms();
    drawDetail();
  }
  if (state.cursor !== null)
    drawCursor();
  const page = document.documentElement.dataset;
  page.from = state.from.toFixed(3);
  page.to = state.to.toFixed(3);
}

// The cursor is where the mouse or a key has put it: its line goes through
// lanes and histograms as well.
function showCursor(time) {
  state.cursor = time;
  const line = document.getElementById('cursor');
  const plots = document.getElementById('plots');
  const width = plotWidth() - GUTTER - MARGIN;
  line.hidden = time < state.from || time > state.to;
  line.style.left = `${GUTTER + pixelOf(time, width)}px`;
  line.style.height = `${document.getElementById('charts').offsetTop
    - plots.clientTop}px`;
  drawValues();
  const page = document.documentElement.dataset;
  page.frame = frameAt(time);
  page.cursor = time.toFixed(3);
  document.getElementById('where').textContent =
    `${clock(time)}, frame ${frameAt(time)}`;
}

function drawDetail() {
  const parts = [columns.frames > 1
    ? `A column of the curves is ${columns.frames} frames: their least and`
      + ' greatest value.'
    : 'Every frame is a point of the curves.'];
  if (state.level.bits < 16)
    parts.push(`Values that are not whole numbers are rounded to`
      + ` ${2 ** state.level.bits - 2} steps of their range.`);
  const span = data.histograms[0]?.span;
  if (span > 1)
    parts.push(`A column of waveform and histograms is ${span} frames.`);
  document.getElementById('detail').textContent = parts.join(' ');
  document.documentElement.dataset.span = columns.frames;
}

// #t=FROM,TO shows that part of the file, with some of its surroundings.
function followAddress() {
  const found = /^#t=([\d.]+),([\d.]+)$/.exec(location.hash);
  if (found)
    goTo({ start: Number(found[1]), end: Number(found[2]) });
}

function onLink(event) {
  const link = event.target.closest('a[href^="#t="]');
  if (!link)
    return;
  event.preventDefault();
  history.replaceState(null, '', link.hash);
  followAddress();
  const plots = document.getElementById('plots');
  plots.focus({ preventScroll: true });
  document.getElementById('time').scrollIntoView();
}

function rebuild() {
  makeCharts();
  draw(true);
}

async function open() {
  makeCommands();
  makeLanes();
  if (!data.frames)
    return;
  state.level = await unpackLevel('overview', data.overview);
  makeCharts();
  await makeHistograms();
  draw(true);
  followAddress();
  document.addEventListener('click', onLink);
  addEventListener('hashchange', followAddress);
  let pause = 0;
  addEventListener('resize', () => {
    clearTimeout(pause);
    pause = setTimeout(rebuild, 100);
  });
  matchMedia('(prefers-color-scheme: dark)')
    .addEventListener('change', rebuild);
  document.documentElement.dataset.opened = performance.now().toFixed(0);
}

// Unpacks every frame after the page is drawn.
async function detail() {
  if (data.finest) {
    state.level = await unpackLevel('finest', data.finest);
    draw(true);
  }
}

open().then(() => new Promise(resolve => {
  if (document.readyState === 'complete')
    resolve();
  else
    addEventListener('load', resolve);
})).then(detail).catch(error => {
  problems.push(String(error));
  console.error(error);
}).then(() => {
  document.documentElement.dataset.problems = problems.join('\n');
  document.documentElement.dataset.ready = performance.now().toFixed(0);
});
