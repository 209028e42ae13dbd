import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';

const read = (/** @type {string} */ path) =>
  readFileSync(new URL(`../../../src/report/${path}`, import.meta.url), 'utf8');
const sheets = [read('charts/chart.css'), read('page/style.css')];

/** The custom properties of all `:root` rules; those of a dark scheme replace the others. @param {{isDark: boolean}} scheme */
function paletteOf({isDark}) {
  const rules = sheets.flatMap((css) => {
    const dark = [...css.matchAll(/prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}/g)];
    const light = [...css.matchAll(/^:root \{([^}]*)\}/gm)];
    return [...light, ...(isDark ? dark : [])].map(([, body]) => body);
  });
  const entries = rules.flatMap((body) => [...body.matchAll(/--([\w-]+): (#[\da-f]{6});/g)]);
  return Object.fromEntries(entries.map(([, name, colour]) => [name, colour]));
}

/** By WCAG 2. @param {string} colour */
function luminanceOf(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {string} one @param {string} other */
function contrast(one, other) {
  const [high, low] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

for (const isDark of [false, true])
  test(`each colour of a text has a contrast of 4.5 to its background, of a mark 3, in ${isDark ? 'dark' : 'light'}`, () => {
    const palette = paletteOf({isDark});
    const texts = ['text', 'muted', 'valid', 'wide', 'suspect'];
    const series = Object.keys(palette).filter((name) => name.startsWith('series-'));
    assert.equal(series.length, 8);
    for (const [names, least] of /** @type {const} */ ([
      [texts, 4.5],
      [series, 3],
    ]))
      for (const name of names)
        for (const background of ['paper', 'panel']) {
          const ratio = contrast(palette[name], palette[background]);
          assert.ok(ratio >= least, `--${name} on --${background}: ${ratio.toFixed(2)}`);
        }
  });

test('the style sheets colour text by the palette alone', () => {
  assert.ok(Math.abs(contrast('#000000', '#ffffff') - 21) < 1e-9);
  for (const css of sheets) {
    const colours = [...css.matchAll(/^\s+(?:color|fill|stroke): ([^;]+);/gm)].map(([, value]) => value);
    assert.ok(colours.length > 3);
    for (const value of colours) assert.match(value, /^(?:var\(--[\w-]+\)|none|inherit)$/);
  }
});
