/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The histogram over time: a row for each component, dark where more samples
// are, on a scale of logarithms.
const HISTOGRAM = 72;  // pixels
let histogram = null;

async function makeHistogram() {
  if (!data.histogram)
    return;
  const place = document.getElementById('histograms');
  const title = document.createElement('h3');
  title.textContent = 'Histogram: the highest codes at the top; the less like'
    + ' the page, the more samples';
  place.append(title);
  const canvases = data.histogram.components.map(component => {
    const row = document.createElement('div');
    row.className = 'row';
    const label = document.createElement('span');
    label.className = 'label';
    label.textContent = component;
    const canvas = document.createElement('canvas');
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `Histogram of ${component} over time`);
    row.append(label, canvas);
    place.append(row);
    return canvas;
  });
  histogram = { canvases, levels: await unpackBytes('histogram') };
}

// From paper over blue to ink, for the levels 0 to 63.
function ramp() {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const stops = dark
    ? [[22, 22, 22], [0, 84, 138], [86, 180, 233], [255, 255, 255]]
    : [[255, 255, 255], [150, 205, 240], [0, 114, 178], [10, 20, 40]];
  return Array.from({ length: 64 }, (_, level) => {
    const at = level / 63 * 3;
    const stop = Math.min(Math.floor(at), 2);
    return [0, 1, 2].map(i => Math.round(stops[stop][i]
      + (stops[stop + 1][i] - stops[stop][i]) * (at - stop)));
  });
}

function drawHistogram() {
  if (!histogram)
    return;
  const { bins, columns: count, span } = data.histogram;
  const colours = ramp();
  histogram.canvases.forEach((canvas, component) => {
    const { width } = sized(canvas, HISTOGRAM);
    canvas.width = Math.round(width);
    canvas.height = bins;
    const context = canvas.getContext('2d');
    const image = context.createImageData(canvas.width, bins);
    for (let x = 0; x < canvas.width; x++) {
      const time = state.from
        + (x + 0.5) / canvas.width * (state.to - state.from);
      const column = Math.min(Math.floor(frameAt(time) / span), count - 1);
      for (let bin = 0; bin < bins; bin++) {
        const level = histogram.levels[
          (component * bins + bin) * count + column];
        image.data.set([...colours[level], 255],
          ((bins - 1 - bin) * canvas.width + x) * 4);
      }
    }
    context.putImageData(image, 0, 0);
  });
}
