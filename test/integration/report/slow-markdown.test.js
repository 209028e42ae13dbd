import assert from 'node:assert/strict';
import {link, readdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {editMarkdown} from '../../../src/report/edit-markdown.js';
import {replaceMarkedSection, SECTION_MARKERS} from '../../../src/report/markdown-edits.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

/** @import {Workplace} from '../support/workplace.js' */

const short = ['--transport', 'tcp', '--payload', '1kb', '--rounds', '1', '--samples', '20', '--quiet'];
const {begin, end} = SECTION_MARKERS;
const frozen = `${begin}\n${end}\n\n${'*a_ '.repeat(8000)}\n`;
const tooLong = /takes too long to read as markdown\. The reason is probably line 4,/;

describe('a markdown file that the parser does not get through', {concurrency: 2, timeout: 300_000}, () => {
  it(
    'is refused before anything is measured, by its name and line, and stays as it is',
    inAWorkplace(async (workplace) => {
      await writeFile(workplace.file('results.md'), frozen);
      const {code, stderr} = await workplace.battle(short);
      assert.equal(code, 1);
      assert.match(stderr, /^perf-battle: results\.md takes too long/);
      assert.match(stderr, tooLong);
      assert.equal(await readFile(workplace.file('results.md'), 'utf8'), frozen);
      assert.deepEqual((await readdir(workplace.path)).sort(), ['results.md', 'tmp']);
    }),
  );

  for (const check of [[], ['--check']]) {
    it(
      `ends table --into ${check} with a sentence`,
      inAWorkplace(async (workplace) => {
        await writeFile(workplace.file('README.md'), frozen);
        const {code, stderr} = await workplace.battle([
          'table',
          '--published',
          '--into',
          'README.md',
          ...check,
        ]);
        assert.equal(code, 1);
        assert.match(stderr, tooLong);
      }),
    );
  }

  it(
    'is let go of at a signal',
    inAWorkplace(async (workplace) => {
      await writeFile(workplace.file('README.md'), frozen);
      const reason = new Error('stop');
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 500);
      const edit = editMarkdown(
        'section',
        {content: 'a'},
        {path: 'x.md', markdown: frozen, signal: controller.signal},
      );
      await assert.rejects(edit, (error) => error === reason);
    }),
  );

  it('is edited in another thread as in this one if it is not that bad', async () => {
    const markdown = `${begin}\n\nold\n\n${end}\n\n${'*a* '.repeat(800)}\n`;
    const {text} = await editMarkdown('section', {content: 'new'}, {path: 'x.md', markdown});
    assert.equal(text, replaceMarkedSection(markdown, SECTION_MARKERS, 'new'));
    await assert.rejects(
      editMarkdown('section', {content: 'new'}, {path: 'x.md', markdown: '*a* '.repeat(800)}),
      {code: 'PB_USAGE', message: /The line <!-- perf-battle:begin --> is missing/},
    );
  });
});

/** @type {[string, string[], (workplace: Workplace) => Promise<void>, RegExp][]} */
const links = [
  [
    'the results to a journal that is not there yet',
    [],
    (at) => symlink('results.ndjson', at.file('results.md')),
    /results results\.md and the journal/,
  ],
  [
    'the journal to results that are not there yet',
    [],
    (at) => symlink('results.md', at.file('results.ndjson')),
    /results results\.md and the journal/,
  ],
  [
    'both to one that is not there yet',
    [],
    async (at) => {
      await symlink('x', at.file('results.md'));
      await symlink('x', at.file('results.ndjson'));
    },
    /results results\.md and the journal/,
  ],
  [
    'both by a hard link',
    [],
    async (at) => {
      await writeFile(at.file('results.md'), '');
      await link(at.file('results.md'), at.file('results.ndjson'));
    },
    /results results\.md and the journal/,
  ],
  [
    'an export to the journal',
    ['--export', 'prometheus'],
    (at) => symlink('results.ndjson', at.file('results.prom')),
    /journal .* and the export results\.prom/,
  ],
  [
    'an export to the results',
    ['--export', 'hlog'],
    (at) => symlink('results.md', at.file('results.hlog')),
    /results results\.md and the export results\.hlog/,
  ],
];
describe('a link that makes two files of a battle one', {concurrency: 2, timeout: 300_000}, () => {
  for (const [what, flags, make, message] of links) {
    it(
      `is refused before anything is measured: ${what}`,
      inAWorkplace(async (workplace) => {
        await make(workplace);
        const {code, stderr} = await workplace.battle([...short, ...flags]);
        assert.equal(code, 2);
        assert.match(stderr, message);
        assert.match(stderr, /are the same file/);
      }),
    );
  }

  it(
    'to the journal of other results is refused, too: only a battle appends to it',
    inAWorkplace(async (workplace) => {
      await writeFile(workplace.file('other.ndjson'), '');
      await symlink('other.ndjson', workplace.file('results.md'));
      const {code, stderr} = await workplace.battle(short);
      assert.equal(code, 1);
      assert.match(stderr, /Cannot write results\.md: it is the journal .*other\.ndjson/);
    }),
  );
});
