/* SPDX-License-Identifier: LGPL-2.1-or-later */
// One chart of uPlot for each group of statistics, with one cursor.
const GUTTER = 92;  // pixels to the left of every plot, as in report.css
const MARGIN = 30;  // to the right

// Okabe and Ito's colours; every curve has a dash of its own as well.
const INK = '--ink';
const STYLES = [
  [INK, []], ['--blue', [6, 3]], ['--red', [2, 3]],
  ['#009e73', [9, 3, 2, 3]], ['#cc79a7', [4, 2]], ['#e69f00', [12, 3]], ['#56b4e9', [1, 2]]];
const BY_NAME = {
  AVG: [INK, []], MEDIAN: ['#009e73', [9, 3, 2, 3]],
  MIN: ['--blue', [2, 3]], LOW: ['--blue', [7, 3]],
  MAX: ['--red', [2, 3]], HIGH: ['--red', [7, 3]] };

const charts = [];
let columns = null;

function styleOf(series, place) {
  const { name } = series;
  const known = !series['is-file'] && !name.startsWith('HUE')
    && Object.keys(BY_NAME).find(end => name.endsWith(end));
  return known ? BY_NAME[known]
    : STYLES[place % STYLES.length];
}

function colour(name) {
  return name.startsWith('--')
    ? getComputedStyle(document.documentElement).getPropertyValue(name).trim()
    : name;
}

function plotWidth() {
  return Math.max(document.getElementById('plots').clientWidth, 300);
}

function makeCharts() {
  const place = document.getElementById('charts');
  place.textContent = '';
  charts.length = 0;
  let number = 0;
  for (const about of data.charts) {
    const title = document.createElement('h3');
    title.textContent = about.title;
    const legend = document.createElement('div');
    legend.className = 'legend';
    const box = document.createElement('div');
    place.append(title, legend, box);
    const chart = { first: number, values: [], plot: null };
    number += about.series.length;
    chart.plot = new uPlot(options(about), [[0], ...about.series.map(
      () => [null])], box);
    about.series.forEach((series, i) => legend.append(
      legendButton(chart, series, i)));
    charts.push(chart);
  }
}

function options(about) {
  const line = colour('--line');
  const axis = { stroke: colour('--faint'), font: '11px system-ui',
    grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  return {
    width: plotWidth(), height: 132, legend: { show: false },
    padding: [6, MARGIN, 0, 0],
    cursor: { sync: { key: 'report' }, y: false, points: { size: 5 },
      drag: { x: true, y: false, setScale: false } },
    scales: { x: { time: false, range: () => [state.from, state.to] },
      y: { range: (plot, low, high) => verticalRange(low, high) } },
    series: [{}, ...about.series.map((series, i) => {
      const [stroke, dash] = styleOf(series, i);
      return { label: series.name, stroke: colour(stroke), dash,
        width: stroke === INK ? 1.5 : 1.2, points: { show: false } };
    })],
    axes: [{ ...axis, size: 26, values: (plot, ticks) => ticks.map(tick) },
      { ...axis, size: GUTTER }],
    hooks: { setSelect: [onSelect], setCursor: [onCursor] }
  };
}

function verticalRange(low, high) {
  if (low === null || !Number.isFinite(low))
    return [0, 1];
  const space = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
  return [low >= 0 ? Math.max(low - space, 0) : low - space, high + space];
}

function tick(time) {
  const text = clock(time);
  const close = state.to - state.from < 20;
  return (data.end < 3600 ? text.slice(text.indexOf(':') + 1) : text)
    .slice(0, close ? undefined : -4);
}

function legendButton(chart, series, i) {
  const [stroke, dash] = styleOf(series, i);
  const button = document.createElement('button');
  button.type = 'button';
  button.title = series.meaning;
  button.setAttribute('aria-pressed', 'true');
  const swatch = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  swatch.setAttribute('viewBox', '0 0 26 8');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', 'M0 4H26');
  path.setAttribute('stroke', colour(stroke));
  path.setAttribute('stroke-width', '2');
  path.setAttribute('stroke-dasharray', dash.join(' ') || 'none');
  swatch.append(path);
  const value = document.createElement('span');
  chart.values.push(value);
  button.append(swatch, series.name + ' ', value);
  button.addEventListener('click', () => {
    const show = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(show));
    chart.plot.setSeries(i + 1, { show });
  });
  return button;
}

function drawCharts() {
  columns = columnsInView(Math.max(plotWidth() - GUTTER - MARGIN, 100));
  for (const { plot, first } of charts)
    plot.setData([columns.x, ...columns.tracks.slice(
      first, first + plot.series.length - 1)]);
}

function onSelect(plot) {
  const { left, width } = plot.select;
  if (width > 2)
    setView(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
  plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
}

// What the mouse points at. While the page itself moves the cursor, the time
// that it moves it to counts: a pixel can be many frames.
let held = 0;

function onCursor(plot) {
  if (held || plot !== charts[0]?.plot)
    return;
  if (plot.cursor.left >= 0)
    showCursor(plot.posToVal(plot.cursor.left, 'x'));
}

// Moves the cursor of every chart to the time that state.cursor holds, after
// the charts have taken the part in view: they do so in a task of their own.
function drawCursor() {
  held++;
  queueMicrotask(() => {
    for (const { plot } of charts)
      plot.setCursor({ left: plot.valToPos(state.cursor, 'x'), top: 10 });
    held--;
  });
  showCursor(state.cursor);
}

// The values at the cursor, after the names of the curves.
function drawValues() {
  const { x, tracks, single } = columns;
  let at = Math.max(countUpTo(x, state.cursor + 1e-6) - 1, 0);
  if (!single)
    at -= at % 2;
  for (const { values, first } of charts)
    values.forEach((span, i) => {
      const track = tracks[first + i];
      const step = state.level.steps[first + i];
      const texts = (single ? [track[at]] : [track[at], track[at + 1]]).map(
        value => value === null || value === undefined ? '–'
          : rounded(value, step));
      span.textContent = texts[0] === texts[1] ? texts[0]
        : texts.join(' to ');
    });
}

// Six digits, and no more than the page holds.
function rounded(value, step) {
  const whole = Math.max(Math.ceil(Math.log10(Math.abs(value) + 1e-9)), 1);
  const digits = Math.max(Math.floor(-Math.log10(step)), 0);
  return value.toFixed(Math.min(digits, 6 - Math.min(whole, 6)));
}
