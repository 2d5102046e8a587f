/* SPDX-License-Identifier: LGPL-2.1-or-later */
// What the page shows: the data, the part of time in view, and the cursor.
const data = JSON.parse(document.getElementById('data').textContent);

const state = {
  level: null,           // the most detailed one that is unpacked
  from: 0, to: data.end, // seconds in view
  cursor: null           // seconds
};

// Returns how many values of times are not greater than time.
function countUpTo(times, time) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

function frameAt(time) {
  const column = Math.max(countUpTo(state.level.times, time + 1e-6) - 1, 0);
  return column * state.level.span;
}

// The time between two frames where the view is.
function frameTime() {
  return data.frames ? data.end / data.frames : 0.04;
}

function clock(time) {
  const thousandths = Math.round(time * 1000);
  const two = number => String(number).padStart(2, '0');
  const rest = String(thousandths % 1000).padStart(3, '0');
  const seconds = Math.floor(thousandths / 1000);
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}`
    + `:${two(seconds % 60)}.${rest}`;
}

// The columns to draw in so many pixels. One that stands for several values
// is drawn as two points, the least and the greatest of them.
function columnsInView(pixels) {
  const { times, span, series } = state.level;
  const first = Math.max(countUpTo(times, state.from) - 2, 0);
  const last = Math.min(countUpTo(times, state.to) + 1, times.length);
  const merged = Math.max(Math.ceil((last - first) / pixels), 1);
  const single = span === 1 && merged === 1;
  const x = [], places = [];
  for (let at = first; at < last; at += merged) {
    const next = Math.min(at + merged, last);
    places.push([at, next]);
    x.push(times[at]);
    if (!single) {
      const end = next < times.length ? times[next] : data.end;
      x.push((times[at] + end) / 2);
    }
  }
  const tracks = series.map(track => single
    ? places.map(([at]) => shown(track.least[at]))
    : places.flatMap(([at, next]) => reach(track, at, next)));
  return { x, tracks, single, frames: merged * span };
}

function shown(value) {
  return Number.isNaN(value) ? null : value;
}

function reach(track, at, next) {
  let least = Infinity, greatest = -Infinity;
  for (let i = at; i < next; i++) {
    if (track.least[i] < least)
      least = track.least[i];
    if (track.greatest[i] > greatest)
      greatest = track.greatest[i];
  }
  return least > greatest ? [null, null] : [least, greatest];
}
