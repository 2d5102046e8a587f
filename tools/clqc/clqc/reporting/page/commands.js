/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Actions of keys and buttons.
const COMMANDS = [
  ['+', 'Zoom in', 'Zoom in at the cursor', () => zoom(0.5)],
  ['-', 'Zoom out', 'Zoom out', () => zoom(2)],
  ['0', 'Whole', 'Show the whole file', () => setView(0, data.end)],
  ['ArrowLeft', '◀', 'Move the view to the left', () => pan(-0.25)],
  ['ArrowRight', '▶', 'Move the view to the right', () => pan(0.25)],
  ['r', 'Next reason', 'Go to the next reason of the verdict',
    () => step(timedReasons(), 1)],
  ['R', null, 'Go to the reason before', () => step(timedReasons(), -1)],
  ['e', 'Next event', 'Go to the next event', () => step(data.events, 1)],
  ['E', null, 'Go to the event before', () => step(data.events, -1)],
  ['.', 'Frame +1', 'Move the cursor to the next frame', () => frameStep(1)],
  [',', 'Frame −1', 'Move the cursor to the frame before',
    () => frameStep(-1)],
  ['Home', null, 'Move the view to the start',
    () => setView(0, state.to - state.from)],
  ['End', null, 'Move the view to the end',
    () => setView(data.end - (state.to - state.from), data.end)],
  ['?', null, 'Show or hide this table', () => {
    const help = document.getElementById('help');
    help.open = !help.open;
  }]
];

const KEY_NAMES = { ArrowLeft: '←', ArrowRight: '→' };

function makeCommands() {
  const buttons = document.getElementById('buttons');
  const keys = document.getElementById('keys');
  const without = (data.reasons.length ? '' : 'rR')
    + (data.events.length ? '' : 'eE');
  for (const [key, label, meaning, run] of COMMANDS) {
    if (without.includes(key))
      continue;
    const name = KEY_NAMES[key] || key;
    const row = keys.insertRow();
    const kbd = document.createElement('kbd');
    kbd.textContent = name;
    row.insertCell().append(kbd);
    row.insertCell().textContent = meaning;
    if (label) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = label;
      button.title = `${meaning} (${name})`;
      button.setAttribute('aria-keyshortcuts', key);
      button.addEventListener('click', run);
      buttons.append(button);
    }
  }
  const row = keys.insertRow();
  row.insertCell().textContent = 'mouse';
  row.insertCell().textContent = 'Drag over a chart: zoom there. Double'
    + ' click: show the whole file. Click a name: hide or show its curve.';
  document.addEventListener('keydown', onKey);
  document.getElementById('charts').addEventListener('dblclick',
    () => setView(0, data.end));
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey)
    return;
  const key = event.key === '=' ? '+' : event.key;
  const command = COMMANDS.find(([name]) => name === key);
  if (!command)
    return;
  event.preventDefault();
  command[3]();
}

function zoom(factor) {
  const centre = state.cursor !== null && state.cursor >= state.from
    && state.cursor <= state.to ? state.cursor : (state.from + state.to) / 2;
  setView(centre - (centre - state.from) * factor,
    centre + (state.to - centre) * factor);
}

function pan(share) {
  const way = (state.to - state.from) * share;
  const from = Math.min(Math.max(state.from + way, 0),
    data.end - (state.to - state.from));
  setView(from, from + state.to - state.from);
}

function timedReasons() {
  return data.reasons.filter(reason => reason.start !== null)
    .sort((a, b) => a.start - b.start);
}

// Goes to the next or the previous item; wraps around at the ends.
function step(items, way) {
  if (!items.length)
    return;
  const now = state.cursor === null ? -Infinity : state.cursor;
  const close = frameTime() / 4;
  const next = way > 0 ? items.find(item => item.start > now + close)
    : items.filter(item => item.start < now - close).pop();
  goTo(next || items[way > 0 ? 0 : items.length - 1]);
}

// Shows an item with as much of its surroundings again, and at least a
// second.
function goTo(item) {
  const around = Math.max(item.end - item.start, 1);
  state.cursor = item.start;
  setView(item.start - around, item.end + around);
  document.getElementById('where').textContent =
    `${clock(item.start)}, frame ${frameAt(item.start)}`
    + ` ${item.message || item.kind || ''}`;
}

function frameStep(way) {
  const { times } = state.level;
  const now = state.cursor === null ? state.from : state.cursor;
  const at = countUpTo(times, now + 1e-6) - 1 + way;
  const time = times[Math.min(Math.max(at, 0), times.length - 1)];
  state.cursor = time;
  if (time < state.from || time > state.to)
    setView(time - (state.to - state.from) / 2,
      time + (state.to - state.from) / 2);
  else
    draw(false);
}
