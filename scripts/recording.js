import {escapeText} from '../src/report/charts/parts.js';

/** @typedef {{atMs: number, text: string}} Screen atMs: from when on it was shown; text: its lines, with the escapes of colours */

const charWidth = 8;
/** A character of a monospaced font is 0.6 em wide. */
const fontSize = 13.33;
const lineHeight = 18;
const baseline = 14;
const margin = 16;
const holdMs = 8000;

/** Of the escapes that a terminal reports for a style: what each turns on, or off. */
const styles = new Map([
  ['1', 'bold'],
  ['2', 'dim'],
  ['31', 'red'],
  ['32', 'green'],
  ['33', 'yellow'],
  ['34', 'blue'],
  ['35', 'magenta'],
  ['36', 'cyan'],
]);
const light = {
  red: '#b3261e',
  green: '#1a7f37',
  yellow: '#8a5a00',
  blue: '#0550ae',
  magenta: '#8250df',
  cyan: '#0b6b75',
};
const dark = {
  red: '#ff8a80',
  green: '#7ee787',
  yellow: '#f2cc60',
  blue: '#79c0ff',
  magenta: '#d2a8ff',
  cyan: '#76e3ea',
};

/**
 * A picture that plays what a terminal showed: the screens lie side by side, and one after the other moves into the window.
 * @param {readonly Screen[]} screens
 * @param {{columns: number, rows: number, title: string}} size of the terminal
 * @returns {string} an SVG file
 */
export function recordingOf(screens, {columns, rows, title}) {
  const shown = screens.map(({atMs, text}) => ({atMs, lines: linesOf(text)})).filter(isNew);
  const width = columns * charWidth + 2 * margin;
  const height = rows * lineHeight + 2 * margin;
  const ids = new Map(unique(shown.flatMap(({lines}) => lines)).map((line, index) => [line, `l${index}`]));
  const start = shown[0].atMs;
  const playMs = shown[shown.length - 1].atMs - start + holdMs;
  const steps = shown.map(
    ({atMs}, index) => `${percent((atMs - start) / playMs)} {transform: ${moved(index * width)}}`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeText(title)}</title>
<style>
text {font: ${fontSize}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: #1f2328}
rect {fill: #ffffff; stroke: #d1d9e0} .bold {font-weight: bold} .dim {opacity: 0.7}
${colours(light)}
@media (prefers-color-scheme: dark) {rect {fill: #0d1117; stroke: #3d444d} text {fill: #e6edf3} ${colours(dark)}}
.film {animation: play ${playMs / 1000}s step-end infinite}
@keyframes play {
${steps.join('\n')}
}
@media (prefers-reduced-motion: reduce) {.film {animation: none; transform: ${moved((shown.length - 1) * width)}}}
</style>
<defs>
${[...ids].map(([line, id]) => `<text id="${id}">${spansOf(line)}</text>`).join('\n')}
<clipPath id="window"><rect width="${width}" height="${height}"/></clipPath>
</defs>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
<g clip-path="url(#window)"><g class="film">
${shown.map(({lines}, index) => screenOf(lines, index * width + margin, ids)).join('\n')}
</g></g>
</svg>
`;
}

/** @param {string} text */
function linesOf(text) {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());
}

/** @param {{lines: string[]}} screen @param {number} index @param {{lines: string[]}[]} all */
function isNew({lines}, index, all) {
  return index === 0 || lines.join('\n') !== all[index - 1].lines.join('\n');
}

/** @param {readonly string[]} lines */
function unique(lines) {
  return [...new Set(lines)].filter((line) => line !== '');
}

/** @param {number} share */
function percent(share) {
  return `${Number((share * 100).toFixed(2))}%`;
}

/** @param {number} px */
function moved(px) {
  return px === 0 ? 'none' : `translateX(-${px}px)`;
}

/** @param {Record<string, string>} palette */
function colours(palette) {
  return Object.entries(palette)
    .map(([name, colour]) => `.${name} {fill: ${colour}}`)
    .join(' ');
}

/**
 * A line in parts of one style each. Each part begins at its column, so that a font with other widths shifts nothing.
 * @param {string} line
 */
function spansOf(line) {
  /** @type {Set<string>} */
  const style = new Set();
  let column = 0;
  let spans = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that begins a style
  for (const [, codes, text] of line.matchAll(/\u001b\[([\d;]*)m|((?:(?! {2})[^\u001b])+| {2,})/g)) {
    if (codes !== undefined) for (const code of codes.split(';')) turn(style, code);
    else {
      const names = style.size > 0 ? ` class="${[...style].join(' ')}"` : '';
      if (text.trim() !== '') spans += `<tspan x="${column * charWidth}"${names}>${escapeText(text)}</tspan>`;
      column += text.length;
    }
  }
  return spans;
}

/** @param {Set<string>} style in force @param {string} code */
function turn(style, code) {
  const name = styles.get(code);
  const colours = Object.keys(light);
  if (name !== undefined) {
    if (colours.includes(name)) turn(style, '39');
    style.add(name);
  } else if (code === '39') for (const colour of colours) style.delete(colour);
  else if (code === '22') for (const weight of ['bold', 'dim']) style.delete(weight);
  else if (code === '0' || code === '') style.clear();
}

/** @param {readonly string[]} lines @param {number} x @param {Map<string, string>} ids of lines */
function screenOf(lines, x, ids) {
  const uses = lines.map((line, row) =>
    ids.has(line) ? `<use href="#${ids.get(line)}" y="${row * lineHeight}"/>` : '',
  );
  return `<g transform="translate(${x} ${margin + baseline})">${uses.join('')}</g>`;
}
