/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The waveform by time, which is the histogram of luma, and the histogram of
// each other component: dark where more samples are, on a scale of logarithms.
const HISTOGRAM = 72;  // pixels
const IRE = [0, 20, 40, 60, 80, 100];
let histograms = [];

async function makeHistograms() {
  const place = document.getElementById('histograms');
  histograms = await Promise.all(data.histograms.map(async (about, i) => ({
    ...about, canvas: document.createElement('canvas'),
    isLuma: about.component === 'Y',
    levels: await unpackBytes(`histogram-${i}`) })));
  for (const isLuma of [true, false]) {
    const rows = histograms.filter(row => row.isLuma === isLuma);
    if (!rows.length)
      continue;
    const title = document.createElement('h3');
    title.textContent = (isLuma ? 'Waveform by time: luma, IRE'
      : 'Histogram: the highest codes at the top')
      + '; the less like the page, the more samples';
    place.append(title, ...rows.map(rowOf));
  }
}

function rowOf({ component, canvas, isLuma }) {
  const row = document.createElement('div');
  row.className = 'row';
  const label = document.createElement('span');
  label.className = isLuma ? 'label levels' : 'label';
  label.append(...isLuma ? IRE.map(ireLabel) : [component]);
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', isLuma
    ? 'Waveform by time: how many samples have each luma code'
    : `Histogram of ${component} over time`);
  row.append(label, canvas);
  return row;
}

// Returns how much of the waveform is above a line.
function shareAbove(ire) {
  const [black, white] = data['is-full-range'] ? [0, 255] : [16, 235];
  return 1 - (black + (white - black) * ire / 100 + 0.5) / 256;
}

function ireLabel(ire) {
  const label = document.createElement('span');
  label.textContent = ire;
  label.style.top = `${shareAbove(ire) * 100}%`;
  return label;
}

// From paper over blue to ink, for the levels 0 to 63, as pixels.
function ramp() {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const stops = dark
    ? [[22, 22, 22], [0, 84, 138], [86, 180, 233], [255, 255, 255]]
    : [[255, 255, 255], [150, 205, 240], [0, 114, 178], [10, 20, 40]];
  const bytes = Uint8ClampedArray.from({ length: 256 }, (_, i) => {
    const at = (i >> 2) / 63 * 3;
    const stop = Math.min(Math.floor(at), 2);
    return i % 4 === 3 ? 255 : stops[stop][i % 4]
      + (stops[stop + 1][i % 4] - stops[stop][i % 4]) * (at - stop);
  });
  return new Uint32Array(bytes.buffer);
}

function drawHistograms() {
  const colours = ramp();
  for (const { canvas, isLuma, levels, bins, columns, span } of histograms) {
    const { width } = sized(canvas, isLuma ? bins : HISTOGRAM);
    canvas.width = Math.round(width);
    canvas.height = bins;
    const context = canvas.getContext('2d');
    const image = context.createImageData(canvas.width, bins);
    const pixels = new Uint32Array(image.data.buffer);
    for (let x = 0; x < canvas.width; x++) {
      const time = state.from
        + (x + 0.5) / canvas.width * (state.to - state.from);
      const column = Math.min(Math.floor(frameAt(time) / span), columns - 1);
      for (let bin = 0; bin < bins; bin++)
        pixels[(bins - 1 - bin) * canvas.width + x] =
          colours[levels[bin * columns + column]];
    }
    context.putImageData(image, 0, 0);
    if (isLuma)
      drawLines(context, canvas.width, bins);
  }
}

// Lines from black to white, as clscope has them.
function drawLines(context, width, bins) {
  context.fillStyle = colour('--faint');
  context.globalAlpha = 0.5;
  for (const ire of IRE)
    context.fillRect(0, Math.floor(shareAbove(ire) * bins), width, 1);
}
