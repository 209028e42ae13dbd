import assert from 'node:assert/strict';
import {cp, mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import {after, before, describe, it} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';
import axe from 'axe-core';
import {chromium} from 'playwright-core';
import {findBrowser} from '../support/browser.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {Workplace} from '../support/workplace.js';

/**
 * @import {AxeResults} from 'axe-core'
 * @import {Browser, BrowserContextOptions, Page} from 'playwright-core'
 */

/** The records that the README shows. */
const journal = fileURLToPath(new URL('../../../docs/results/results.ndjson', import.meta.url));

/** @param {Workplace} workplace */
async function withJournal(workplace) {
  await cp(journal, workplace.file('results.ndjson'));
}

/**
 * The recorded battle as if it had run four times: once it was suspect, and at last it ran on another host.
 * @param {Workplace} workplace
 */
async function withHistory(workplace) {
  const entries = (await readFile(journal, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const kept = entries.filter(({kind}) => kind === 'battle' || kind === 'cell');
  const again = [0, 1, 2, 3].flatMap((index) =>
    kept.map(({id, config, verdict, machine, ...entry}) => ({
      ...{...entry, id: `battle-${index}${entry.kind === 'cell' ? id.slice(id.lastIndexOf('-')) : ''}`},
      ...(entry.kind === 'cell' && {battleId: `battle-${index}`}),
      startedAt: `2026-11-27T0${index}:00:00.000Z`,
      config: {...config, label: String(index).repeat(40)},
      machine: index === 3 ? 'Another CPU' : machine,
      verdict: {status: index === 1 ? 'suspect' : 'valid', warnings: []},
    })),
  );
  await writeFile(
    workplace.file('results.ndjson'),
    again.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
  );
}

describe('perf-battle report', {timeout: 600_000}, () => {
  /** @type {Browser} */
  let browser;
  /** @type {Workplace} */
  let workplace;
  /** @type {string} */
  let url;
  before(async () => {
    workplace = await Workplace.make();
    await withJournal(workplace);
    const {code, stdout, stderr} = await workplace.battle(['report']);
    assert.deepEqual({code, stderr}, {code: 0, stderr: ''});
    assert.match(stdout, /^report\.html: \d+ kB\.\n$/);
    url = pathToFileURL(workplace.file('report.html')).href;
    browser = await chromium.launch({executablePath: findBrowser(), args: ['--no-sandbox']});
  });
  after(async () => {
    await browser?.close();
    await workplace?.clear();
  });

  /**
   * @param {BrowserContextOptions} options
   * @param {(page: Page) => Promise<void>} look
   * @param {string} [address]
   */
  async function withPage(options, look, address = url) {
    const context = await browser.newContext(options);
    try {
      const page = await context.newPage();
      /** @type {string[]} */
      const troubles = [];
      page.on('pageerror', (error) => troubles.push(String(error)));
      page.on('console', (message) => troubles.push(message.text()));
      page.on('dialog', (dialog) => troubles.push(dialog.message()));
      page.on('request', (request) => {
        if (request.url() !== address) troubles.push(request.url());
      });
      await page.goto(address);
      await look(page);
      assert.deepEqual(troubles, []);
    } finally {
      await context.close();
    }
  }

  /** The shown cells of a column, from the top. @param {Page} page @param {number} column counted from 1 */
  const shownIn = (page, column) =>
    page.locator(`.sortable tbody tr:visible td:nth-child(${column})`).allTextContents();

  it('shows the newest battle, sorts and filters its rows, and says what a point shows', async () => {
    await withPage({}, async (page) => {
      assert.equal(await page.locator('.sortable tbody tr').count(), 24);
      assert.ok((await page.locator('figure svg').count()) >= 10);
      await page.getByRole('button', {name: 'msgs/s'}).first().click();
      const rates = (await shownIn(page, 8)).map(Number);
      assert.deepEqual(
        rates,
        rates.toSorted((one, other) => one - other),
      );
      await page.getByRole('searchbox').fill('rabbitmq 1000');
      assert.deepEqual(await shownIn(page, 1), ['1000 KB', '1000 KB']);
      await page.locator('figure .mark:visible').nth(20).hover();
      assert.match(String(await page.locator('#tip').textContent()), /, \d+ KB: .*; record [\da-f]{8}-\d+$/);
    });
  });

  it('can be read without script, and printed', async () => {
    await withPage({javaScriptEnabled: false}, async (page) => {
      assert.equal(await page.locator('.sortable tbody tr:visible').count(), 24);
      const links = await page.locator('nav a').count();
      assert.ok(links > 15, String(links));
      await page.locator('nav a').last().click();
      assert.match(page.url(), /#records$/);
      assert.match(await page.locator('main').innerText(), /HTTP \(Express\)/);
      const pdf = await page.pdf({format: 'A4'});
      assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
    });
  });

  it('names each point for the keyboard: Tab enters a chart, the arrow keys go on', async () => {
    await withPage({}, async (page) => {
      const chart = page.locator('#rtt-over-size .in-wide svg');
      assert.equal(await chart.locator('[tabindex="0"]').count(), 1);
      await page.locator('#rtt-over-size').evaluate((figure) => {
        figure.tabIndex = -1;
        figure.focus();
      });
      await page.keyboard.press('Tab');
      const focused = () => page.evaluate('document.activeElement?.getAttribute("aria-label")');
      const first = await focused();
      assert.match(String(first), /, 1 KB: .* ms; \w+; record [\da-f]{8}-\d+$/);
      assert.equal(await page.locator('#tip').textContent(), first);
      await page.keyboard.press('ArrowRight');
      assert.match(String(await focused()), /, 100 KB: /);
      assert.equal(await page.locator('#tip').textContent(), await focused());
      await page.keyboard.press('End');
      assert.match(String(await focused()), /, 1000 KB: /);
      assert.equal(await chart.locator('[tabindex="0"]').count(), 1);
      await page.keyboard.press('Home');
      assert.equal(await focused(), first);
      await page.keyboard.press('Escape');
      assert.equal(await page.locator('#tip').isVisible(), false);
    });
  });

  it('fits a telephone, where only tables scroll', async () => {
    await withPage({viewport: {width: 360, height: 740}}, async (page) => {
      const width = await page.evaluate('document.documentElement.scrollWidth');
      assert.equal(width, 360);
      const verdict = await page.locator('.sortable tbody td:nth-child(3)').first().boundingBox();
      assert.ok(verdict && verdict.x + verdict.width <= 360, JSON.stringify(verdict));
    });
  });

  for (const width of [360, 400, 700, 1000, 1200])
    it(`draws the text of its charts with at least 11 pixels at a width of ${width}`, async () => {
      await withPage({viewport: {width, height: 740}}, async (page) => {
        const pixels = await page.locator('figure svg:visible').evaluateAll((svgs) =>
          svgs.map((svg) => {
            const {width: viewWidth} = /** @type {any} */ (svg).viewBox.baseVal;
            return (12 * svg.getBoundingClientRect().width) / viewWidth;
          }),
        );
        assert.equal(pixels.length, await page.locator('figure').count());
        assert.ok(Math.min(...pixels) >= 11, String(pixels));
      });
    });

  for (const colorScheme of /** @type {const} */ (['light', 'dark']))
    it(`has nothing that axe objects to, in ${colorScheme} colours`, async () => {
      await withPage({colorScheme, bypassCSP: true}, async (page) => {
        const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        assert.equal(paper === 'rgb(255, 255, 255)', colorScheme === 'light', String(paper));
        await page.evaluate(axe.source);
        const {violations} = /** @type {AxeResults} */ (await page.evaluate('axe.run()'));
        assert.deepEqual(
          violations.map(({id, nodes}) => `${id}: ${nodes.map(({target}) => target).slice(0, 3)}`),
          [],
        );
      });
    });

  it(
    'with --history shows each figure over the battles, read by keyboard, on a telephone and in dark colours',
    inAWorkplace(async (place) => {
      await withHistory(place);
      const {code, stdout, stderr} = await place.battle(['report', '--history', 'results.ndjson']);
      assert.deepEqual({code, stderr}, {code: 0, stderr: ''});
      assert.match(stdout, /^history\.html: \d+ kB\.\n$/);
      const address = pathToFileURL(place.file('history.html')).href;
      await withPage(
        {},
        async (page) => {
          assert.equal(await page.locator('h1').innerText(), 'History of 4 battles and 24 cells');
          assert.equal(await page.locator('figure').count(), 24);
          const points = page.locator('#cell-1 svg .mark[tabindex]');
          assert.equal(await points.count(), 4);
          await page.locator('#cell-1').evaluate((figure) => {
            figure.tabIndex = -1;
            figure.focus();
          });
          await page.keyboard.press('Tab');
          await page.keyboard.press('End');
          const text = String(await page.locator('#tip').textContent());
          assert.match(
            text,
            /^commit 3333333333, 2026-11-27 .* UTC: [\d.]+ ± [\d.]+ ms; \w+.*; Another CPU, 2 cores, local \(vm\); record battle-3-1$/,
          );
          assert.ok((await page.locator('#cell-1 .hollow').count()) === 1);
          await page.getByRole('button', {name: 'Figure'}).click();
          await page.getByRole('searchbox').fill('websocket no-such');
          assert.equal(await page.locator('.sortable tbody tr:visible').count(), 0);
        },
        address,
      );
      await withPage(
        {viewport: {width: 360, height: 740}},
        async (page) => {
          assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
        },
        address,
      );
      for (const colorScheme of /** @type {const} */ (['light', 'dark']))
        await withPage(
          {colorScheme, bypassCSP: true},
          async (page) => {
            await page.evaluate(axe.source);
            const {violations} = /** @type {AxeResults} */ (await page.evaluate('axe.run()'));
            assert.deepEqual(
              violations.map(({id, nodes}) => `${id}: ${nodes.map(({target}) => target).slice(0, 3)}`),
              [],
            );
          },
          address,
        );
    }),
  );

  it(
    'shows what stands in a journal as text, whatever it is',
    inAWorkplace(async (place) => {
      const hostile = '</script><script>alert(1)</script><img src=x onerror=alert(2)>';
      const lines = (await readFile(journal, 'utf8')).trimEnd().split('\n').slice(-200);
      const changed = lines.map((line) => {
        const entry = JSON.parse(line);
        if (entry.kind === 'battle') entry.hosts[hostile] = {cpu: hostile};
        if (entry.kind === 'cell')
          Object.assign(entry, {machine: hostile, versions: {node: hostile}, config: {note: hostile}});
        if (entry.labels) entry.labels.facilitator += hostile;
        return JSON.stringify(entry);
      });
      await writeFile(place.file('results.ndjson'), `${changed.join('\n')}\n`);
      assert.equal((await place.battle(['report'])).code, 0);
      await withPage(
        {},
        async (page) => {
          assert.match(await page.locator('h1').innerText(), /onerror=alert\(2\)/);
          assert.equal(await page.locator('img').count(), 0);
        },
        pathToFileURL(place.file('report.html')).href,
      );
    }),
  );
});

describe('perf-battle chart', {timeout: 600_000}, () => {
  it(
    'writes the same files for the same records',
    inAWorkplace(async (workplace) => {
      await withJournal(workplace);
      for (const folder of ['one', 'two'])
        assert.equal((await workplace.battle(['chart', '--folder', folder])).code, 0);
      const names = await readdir(workplace.file('one'));
      assert.ok(names.includes('rtt-over-size.svg') && names.includes('rtt-percentiles-1024.svg'));
      for (const name of names) {
        const [one, two] = await Promise.all(
          ['one', 'two'].map((folder) => readFile(workplace.file(`${folder}/${name}`), 'utf8')),
        );
        assert.equal(one, two);
        assert.match(one, /^<svg xmlns=.*<\/svg>\n$/s);
      }
    }),
  );

  it(
    'draws data files of an export in place of a battle',
    inAWorkplace(async (workplace) => {
      await writeFile(workplace.file('calls.txt'), '"Configuration" "MsgSize" "CallsPerSec"\n"a" 1 100\n');
      const {code, stdout, stderr} = await workplace.battle(['chart', '--endurox-files', 'calls.txt']);
      assert.deepEqual({code, stdout}, {code: 0, stdout: 'charts/calls.svg\n'}, stderr);
      const refused = await workplace.battle(['chart', 'latest', '--endurox-files', 'calls.txt']);
      assert.equal(refused.code, 2);
      assert.match(
        refused.stderr,
        /--endurox-files draws data files, so no battle can be given; it is "latest"/,
      );
    }),
  );
});

describe('a page or charts that cannot be written', {timeout: 600_000}, () => {
  it(
    'are refused by name, and nothing is lost',
    inAWorkplace(async (workplace) => {
      await withJournal(workplace);
      const notes = workplace.file('notes.md');
      await writeFile(notes, '# Mine\n');
      await mkdir(workplace.file('charts'));
      await writeFile(workplace.file('charts/rtt-over-size.svg'), 'mine');
      await writeFile(workplace.file('empty.ndjson'), '');
      for (const {words, exitCode, message} of [
        {words: ['report', '--page', 'notes.md'], exitCode: 2, message: /notes\.md is not an HTML page/},
        {words: ['report', '--page', 'no/page.html'], exitCode: 1, message: /Cannot write no\/page\.html/},
        {words: ['report', 'ffffffff'], exitCode: 2, message: /"ffffffff" is neither a file nor a battle/},
        {words: ['report', 'latest', 'previous'], exitCode: 2, message: /report takes one battle/},
        {
          words: ['report', '--history', 'nosuch.ndjson'],
          exitCode: 2,
          message: /"nosuch\.ndjson" is not a file/,
        },
        {
          words: ['report', '--history', 'empty.ndjson'],
          exitCode: 1,
          message: /empty\.ndjson has no completed cell yet/,
        },
        {
          words: ['report', '--history', 'results.ndjson', '--results', 'none.md'],
          exitCode: 2,
          message: /--results none\.md has no effect here: the journals are named/,
        },
        {
          words: ['report', '--history', '--results', 'none.md'],
          exitCode: 1,
          message: /none\.ndjson does not exist yet/,
        },
        {
          words: ['report', '--history', '--page', 'notes.md'],
          exitCode: 2,
          message: /notes\.md is not an HTML page/,
        },
        {words: ['report', 'empty.ndjson'], exitCode: 1, message: /empty\.ndjson has no completed cell yet/},
        {
          words: ['report', 'results.ndjson', '--results', 'none.md'],
          exitCode: 2,
          message: /--results none\.md has no effect here: it needs a battle of that file/,
        },
        {
          words: ['chart', '--endurox-files', 'x.txt', '--results', 'none.md'],
          exitCode: 2,
          message: /--results none\.md has no effect here/,
        },
        {words: ['chart'], exitCode: 2, message: /rtt-over-size\.svg is not an SVG file/},
        {words: ['chart', '--folder', 'notes.md'], exitCode: 1, message: /Cannot write notes\.md/},
      ]) {
        const {code, stdout, stderr} = await workplace.battle(words);
        assert.deepEqual({code, stdout}, {code: exitCode, stdout: ''}, stderr);
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /\n\s+at /);
      }
      assert.equal(await readFile(notes, 'utf8'), '# Mine\n');
      assert.equal(await readFile(workplace.file('charts/rtt-over-size.svg'), 'utf8'), 'mine');
    }),
  );
});
