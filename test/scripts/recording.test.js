import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {recordingOf} from '../../scripts/recording.js';

/** @param {{atMs: number, text: string}[]} screens */
const draw = (screens) => recordingOf(screens, {columns: 10, rows: 2, title: 'A <battle>'});

describe('the picture of a terminal over time', () => {
  it('shows each screen from its time on, and holds the last one', () => {
    const svg = draw([
      {atMs: 0, text: 'one'},
      {atMs: 2000, text: 'two'},
    ]);
    assert.match(svg, />one</);
    assert.match(svg, />two</);
    // 2 s of the first screen, 8 s of the last one.
    assert.match(svg, /animation: play 10s step-end infinite/);
    assert.match(svg, /0% \{transform: none\}\n20% \{transform: translateX\(-\d+px\)\}/);
  });

  it('has a line once, on however many screens it stands', () => {
    const svg = draw([
      {atMs: 0, text: 'same\na'},
      {atMs: 1000, text: 'same\nb'},
      {atMs: 2000, text: 'b\nsame'},
    ]);
    assert.equal(svg.match(/>same</g)?.length, 1);
    assert.equal(svg.match(/>b</g)?.length, 1);
  });

  it('leaves out a screen that does not differ from the one before', () => {
    const twice = draw([
      {atMs: 0, text: 'one'},
      {atMs: 1000, text: 'one\n'},
      {atMs: 2000, text: 'two'},
    ]);
    const once = draw([
      {atMs: 0, text: 'one'},
      {atMs: 2000, text: 'two'},
    ]);
    assert.equal(twice, once);
  });

  it('keeps colours and columns', () => {
    const svg = draw([{atMs: 0, text: 'a  \u001b[1;33mwide\u001b[0m b'}]);
    assert.match(svg, /<tspan x="24" class="bold yellow">wide<\/tspan>/);
    assert.match(svg, /<tspan x="56"> b<\/tspan>/);
  });

  it('keeps a colour to the end of the line, and not beyond it', () => {
    const svg = draw([{atMs: 0, text: '\u001b[32mgreen\nplain'}]);
    assert.match(svg, /class="green">green</);
    assert.doesNotMatch(svg, /class="green">plain/);
  });

  it('escapes what the terminal shows', () => {
    const svg = draw([{atMs: 0, text: 'a<b>&'}]);
    assert.match(svg, />a&lt;b&gt;&amp;</);
    assert.match(svg, /<title>A &lt;battle&gt;<\/title>/);
  });

  it('follows the dark and the light scheme, and stands still for who wants no motion', () => {
    const svg = draw([
      {atMs: 0, text: 'one'},
      {atMs: 1000, text: 'two'},
    ]);
    assert.match(svg, /@media \(prefers-color-scheme: dark\)/);
    assert.match(
      svg,
      /@media \(prefers-reduced-motion: reduce\) \{\.film \{animation: none; transform: translateX\(-/,
    );
  });
});
