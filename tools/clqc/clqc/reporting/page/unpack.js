/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Reads what packing.py has written.
'use strict';

async function unpackBytes(id) {
  const element = document.getElementById(id);
  const text = atob(element.textContent);
  element.textContent = '';
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++)
    bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(
    new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Values, NaN where there is none.
async function unpackValues(id, about) {
  const bytes = await unpackBytes(id);
  const { count, low, step } = about;
  const values = new Float64Array(count);
  const wrap = 256 ** about.bytes;
  let code = 0;
  for (let i = 0; i < count; i++) {
    for (let plane = 0, weight = 1; plane < about.bytes;
      plane++, weight *= 256)
      code += bytes[plane * count + i] * weight;
    code %= wrap;
    values[i] = code ? low + (code - 1) * step : NaN;
  }
  return values;
}

// A level of detail: the times at which columns begin, and every statistic.
async function unpackLevel(name, about) {
  const times = await unpackValues(`${name}-0`, about.times);
  const series = [];
  for (let i = 0; i < about.series.length; i++) {
    const values = await unpackValues(`${name}-${i + 1}`, about.series[i]);
    const half = values.length / 2;
    series.push(about.span === 1 ? { least: values, greatest: values } : {
      least: values.subarray(0, half), greatest: values.subarray(half) });
  }
  return { span: about.span, bits: about.bits, times, series,
    steps: about.series.map(packed => packed.step) };
}
