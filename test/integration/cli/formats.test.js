import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

const short = '--transport websocket --payload 1kb --samples 40 --warmup 10 --rounds 3'.split(' ');

/** @param {string} csv whose fields have no line ends @returns {Record<string, string>[]} by heading */
function rowsOf(csv) {
  const [headings, ...rows] = csv
    .split('\r\n')
    .slice(0, -1)
    .map((line) =>
      [...line.matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^,"]*))(?=,|$)/g)].map(
        (field) => field[1] ?? field[2],
      ),
    );
  assert.ok(
    rows.every(({length}) => length === headings.length),
    csv,
  );
  return rows.map((row) => Object.fromEntries(headings.map((heading, index) => [heading, row[index]])));
}

describe('standard output', () => {
  it(
    'has only comma-separated values with --csv: of a battle, its comparison, and two sides',
    {timeout: 300_000},
    inAWorkplace(async (workplace) => {
      const battle = await workplace.battle([...short, '--csv']);
      assert.equal(battle.code, 0, battle.stderr);
      const [floor, ours, ...more] = rowsOf(battle.stdout);
      assert.deepEqual([floor.transport, ours.transport, more], ['tcp', 'websocket', []]);
      assert.ok(Number(ours.mean_ms) > 0);
      assert.match(battle.stderr, /Web Sockets/);

      const sides = await workplace.battle(['ab', ...short, '--b', '--tcp-no-delay off', '--csv']);
      const [side, ...others] = rowsOf(sides.stdout);
      assert.deepEqual(others, []);
      assert.equal(side.workload, 'rtt');
      assert.ok(Number(side.ratio_low) < Number(side.ratio_high));

      const comparison = await workplace.battle(['compare', '--csv']);
      assert.equal(comparison.code, 0, comparison.stderr);
      assert.deepEqual(
        rowsOf(comparison.stdout).map(({name, result}) => [name, result === 'not comparable']),
        [
          ['TCP', false],
          ['TCP (Nagle on)', true],
          ['Web Sockets (side a)', true],
          ['Web Sockets (side a again)', true],
          ['Web Sockets (Nagle on, side b)', true],
          ['Web Sockets', true],
        ],
      );
    }),
  );

  it(
    'has the findings of doctor as comma-separated values',
    inAWorkplace(async (workplace) => {
      const {stdout} = await workplace.battle(['doctor', '--csv']);
      const found = rowsOf(stdout);
      assert.ok(found.length > 10);
      const apart = await workplace.battle(['doctor', '--csv', '--csv-separator', ';']);
      assert.deepEqual(apart.stdout.split('\r\n')[0].split(';'), Object.keys(found[0]));
      const alone = await workplace.battle(['doctor', '--csv-separator', ';']);
      assert.deepEqual([alone.code, /it needs --csv/.test(alone.stderr)], [2, true]);
      assert.ok(found.every(({level}) => ['ok', 'warning', 'error'].includes(level)));
    }),
  );

  it(
    'has the findings of check-transport, with the settings in the last column',
    inAWorkplace(async (workplace) => {
      const {stdout} = await workplace.battle(['check-transport', 'unix', '--csv', '--unix-protocol', 'raw']);
      const [found] = rowsOf(stdout);
      assert.deepEqual(Object.keys(found), ['transport', 'check', 'outcome', 'finding', 'settings']);
      assert.equal(found.settings, 'unix-protocol=raw');
    }),
  );

  it(
    'has one JSON document with --json, also of init and completion, which no variable changes',
    inAWorkplace(async (workplace) => {
      const environment = {PB_JSON: 'on'};
      const written = await workplace.battle(['init', '--json']);
      assert.deepEqual(JSON.parse(written.stdout), {
        files: [
          {path: '.env', isWritten: true},
          {path: 'perf-battle.config.json', isWritten: true},
        ],
      });
      const script = await workplace.battle(['completion', 'fish'], environment);
      const document = await workplace.battle(['completion', 'fish', '--json']);
      assert.deepEqual(JSON.parse(document.stdout), {shell: 'fish', script: script.stdout});
    }),
  );

  it(
    'has one format: a flag is preferred to a variable, and a variable to .env',
    inAWorkplace(async (workplace) => {
      const both = await workplace.battle([...short, '--json', '--csv']);
      assert.equal(both.code, 2);
      assert.match(both.stderr, /--json and --csv exclude each other/);
      const none = await workplace.battle([...short, '--csv', '--dry-run']);
      assert.equal(none.code, 2);
      assert.match(
        none.stderr,
        /--csv prints figures, and with --dry-run nothing is measured\. Use --json\./,
      );
      const {code, stdout} = await workplace.battle([...short, '--json', '--dry-run'], {PB_CSV: 'on'});
      assert.equal(code, 0);
      assert.ok(JSON.parse(stdout).cells.length > 0);
      await writeFile(workplace.file('.env'), 'PB_CSV=on\n');
      const shown = await workplace.battle([...short, '--print-config'], {PB_JSON: 'on'});
      assert.deepEqual(JSON.parse(shown.stdout).settings.csv, {value: false, origin: 'PB_JSON'});
    }),
  );
});
