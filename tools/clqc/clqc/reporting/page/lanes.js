/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Lanes: the reasons of the verdict and the events, on a time axis.
const LANE = 20;  // pixels
const LANES = [
  ['error', '--red', 'the policy: errors'],
  ['warning', '#e69f00', 'the policy: warnings'],
  ['decode-error', '--red'], ['gap', '#cc79a7'],
  ['black', '--ink'], ['white', '#56b4e9'], ['freeze', '--blue'],
  ['scene', '--faint'], ['single-color', '#cc79a7'],
  ['defocus', '#009e73'], ['range', '#56b4e9'], ['noisy', '#e69f00'],
  ['blocky', '#cc79a7'], ['border', '#009e73'],
  ['field-order', '#56b4e9'], ['repeat', '--blue'], ['card', '#e69f00'],
  ['flash', '--red'], ['levels', '#56b4e9'], ['signal-loss', '--red'],
  ['silence', '#e69f00']];

let lanes = [];

function makeLanes() {
  const known = LANES.map(([kind]) => kind);
  const items = [
    ...data.reasons.filter(reason => reason.start !== null).map(reason => ({
      ...reason, kind: reason.severity, text: reason.message })),
    ...data.events.map(event => ({ ...event, text: event.kind }))];
  const others = [...new Set(items.map(item => item.kind))]
    .filter(kind => !known.includes(kind)).map(kind => [kind, '--ink']);
  const place = document.getElementById('lanes');
  place.textContent = '';
  lanes = [...LANES, ...others].map(([kind, stroke]) => ({ kind, stroke,
    items: items.filter(item => item.kind === kind) }))
    .filter(lane => lane.items.length);
  for (const lane of lanes) {
    const row = document.createElement('div');
    row.className = 'row';
    const label = document.createElement('span');
    label.className = 'label';
    label.textContent = (lane.kind === 'error' ? '✗ '
      : lane.kind === 'warning' ? '! '
        : lane.items[0].sound ? '♪ ' : '') + lane.kind;
    lane.canvas = document.createElement('canvas');
    lane.canvas.setAttribute('role', 'img');
    lane.canvas.setAttribute('aria-label',
      `${lane.kind}: ${lane.items.length} in the whole file`);
    lane.canvas.addEventListener('click', event => onLane(lane, event));
    lane.canvas.addEventListener('mousemove', event => onPoint(lane, event));
    row.append(label, lane.canvas);
    place.append(row);
  }
  if (!lanes.length)
    place.textContent = 'There is nothing to show.';
}

// A canvas as sharp as the screen; the pixels are those of the style.
function sized(canvas, height) {
  const width = Math.max(plotWidth() - GUTTER - MARGIN, 100);
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width };
}

function pixelOf(time, width) {
  return (time - state.from) / (state.to - state.from) * width;
}

function drawLanes() {
  for (const lane of lanes) {
    const { context, width } = sized(lane.canvas, LANE);
    context.fillStyle = colour('--shade');
    context.fillRect(0, 0, width, LANE);
    context.fillStyle = colour(lane.stroke);
    for (const item of lane.items) {
      if (item.end < state.from || item.start > state.to)
        continue;
      const left = Math.max(pixelOf(item.start, width), -4);
      const right = Math.min(pixelOf(item.end, width), width + 4);
      if (lane.kind === 'error' || lane.kind === 'warning')
        drawReason(context, left, right);
      else if (item.end > item.start)
        context.fillRect(left, 4, Math.max(right - left, 2), LANE - 8);
      else
        context.fillRect(left, 2, 1.5, LANE - 4);
    }
  }
}

// A triangle where it begins, a bar for as long as it lasts.
function drawReason(context, left, right) {
  context.beginPath();
  context.moveTo(left, 3);
  context.lineTo(left + 5, LANE - 4);
  context.lineTo(left - 5, LANE - 4);
  context.fill();
  context.fillRect(left, LANE - 8, Math.max(right - left, 0), 4);
}

function itemAt(lane, event) {
  const width = lane.canvas.clientWidth;
  const near = item => Math.max(
    pixelOf(item.start, width) - event.offsetX,
    event.offsetX - pixelOf(item.end, width), 0);
  let best = null;
  for (const item of lane.items)
    if (near(item) < 7 && (!best || near(item) < near(best)))
      best = item;
  return best;
}

function onLane(lane, event) {
  const item = itemAt(lane, event);
  if (item)
    goTo(item);
}

function onPoint(lane, event) {
  const item = itemAt(lane, event);
  lane.canvas.title = item ? `${item.text}: ${clock(item.start)}` : '';
  lane.canvas.style.cursor = item ? 'pointer' : '';
}
