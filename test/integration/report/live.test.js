import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {promisify, stripVTControlCharacters} from 'node:util';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {pythonEnvironment, pythonPath} from '../support/python.js';

/** @import {Workplace} from '../support/workplace.js' */

const execute = promisify(execFile);
const terminalProgram = fileURLToPath(new URL('in-a-terminal.py', import.meta.url));
const battleProgram = fileURLToPath(new URL('../../../bin/perf-battle.js', import.meta.url));

const flags = [...['--transport', 'websocket', '--rounds', '3', '--duration', '100ms', '--warmup', '20']];

/**
 * @typedef {{when: string, resize?: [number, number], type?: string}} Step
 * @typedef {{code: number, kept: string[][], last: string[], written: string}} Shown kept: the screen at each step; last: when it had ended
 */

/**
 * Runs a battle in a terminal.
 * @param {Workplace} workplace
 * @param {{columns: number, rows: number, payload: string, steps: Step[]}} script
 * @returns {Promise<Shown>}
 */
function battleInTerminal(workplace, {payload, ...script}) {
  return inTerminal(workplace, [...flags, '--payload', payload], script);
}

/**
 * @param {Workplace} workplace
 * @param {readonly string[]} words
 * @param {{columns: number, rows: number, steps: Step[]}} script
 * @returns {Promise<Shown>}
 */
async function inTerminal({path, temporary}, words, script) {
  const command = [process.execPath, battleProgram, ...words];
  const {stdout} = await execute(
    pythonPath('python'),
    [terminalProgram, JSON.stringify(script), ...command],
    {
      cwd: path,
      env: {...pythonEnvironment, TERM: 'xterm-256color', TMPDIR: temporary, FORCE_COLOR: undefined},
      maxBuffer: 64 << 20,
    },
  );
  const shown = JSON.parse(stdout);
  assert.equal(shown.kept.length, script.steps.length, `it never showed one of the steps:\n${shown.written}`);
  return shown;
}

describe('a battle in a terminal', {timeout: 600_000, concurrency: 2}, () => {
  it(
    'fills its table in while it runs, and leaves the results alone',
    inAWorkplace(async (workplace) => {
      const {code, kept, last, written} = await battleInTerminal(workplace, {
        columns: 80,
        rows: 30,
        payload: '1kb',
        steps: [{when: 'TCP +[\\d.]+ ms +[▁-█]{2}'}],
      });
      assert.equal(code, 0, written);
      const [screen] = kept;
      assert.match(screen.join('\n'), /^Payload +Transport +So far +Trials$/m);
      assert.match(screen.join('\n'), /^\[[2-5]\/6\] round [23] of 3, about \d+ s left$/m);
      assert.match(screen.join('\n'), /^\d+ s so far/m);
      assert.match(screen.join('\n'), /^ +Web Sockets +([\d.]+ ms +[▁-█]+)?/m);
      assert.doesNotMatch(last.join('\n'), /so far|So far/);
      assert.match(last.join('\n'), /^2 rows appended to results\.md\.$/m);
      // No cursor was hidden, and no other screen was opened, that a kill would leave so.
      for (const sequence of ['\u001b[?25l', '\u001b[?1049h']) assert.ok(!written.includes(sequence));
    }),
  );

  it(
    'is shown again by table in the same form, and messages break between words',
    inAWorkplace(async (workplace) => {
      const run = await workplace.battle([...flags, '--payload', '1kb', '--quiet']);
      assert.equal(run.code, 0, run.stderr);
      const lines = async (/** @type {string[]} */ ...words) => {
        const {code, written} = await inTerminal(workplace, words, {columns: 80, rows: 100, steps: []});
        const plain = stripVTControlCharacters(written).trimEnd().split('\r\n');
        for (const line of plain) assert.ok(line.length <= 80, line);
        return {code, written, text: plain.join('\n')};
      };
      const table = await lines('table');
      assert.equal(table.code, 0, table.text);
      assert.match(table.text, /\nPayload +Transport +Mean ± 95 % .*Verdict\n1kb +\w+ /);
      assert.ok(table.written.includes('\u001b[1m1kb'));
      const detail = await lines('table', '--detail');
      assert.ok(detail.text.startsWith(table.text.slice(0, table.text.indexOf('\nColumns'))), detail.text);
      assert.match(detail.text, /\nTCP, 1 KB, rtt: \w+\n {2}Mean \[95 %\] \(ms\) [\d.]+ \[/);
      const published = await lines('table', '--published');
      assert.match(published.text, /\n12 +HTTP +EC2 +1kb +N\/A +N\/A +4\.983 ms\n/);
      const refused = await lines('table', '--all');
      assert.deepEqual(
        [refused.code, refused.text],
        [2, 'perf-battle: --all needs --into with the file to write. A printed table has all\n  results.'],
      );
    }),
  );

  it(
    'fits 60 columns and few rows, and follows when the terminal is resized',
    inAWorkplace(async (workplace) => {
      const {code, kept, written} = await battleInTerminal(workplace, {
        columns: 60,
        rows: 7,
        payload: '1kb,2kb',
        steps: [
          {when: 'round 2 of 3(.|\\n)*Transport(.|\\n)*…', resize: [100, 30]},
          {when: 'round 3 of 3(.|\\n)*1kb(.|\\n)*2kb(.|\\n)*…'},
        ],
      });
      assert.equal(code, 0, written);
      const [small, large] = kept.map((screen) => screen.join('\n'));
      for (const screen of [small, large]) {
        assert.equal(screen.match(/ s so far/g)?.length, 1, screen);
        assert.equal(screen.match(/Transport/g)?.length, 1, screen);
      }
    }),
  );

  it(
    'is gone after Ctrl-C, and what remains says how to continue',
    inAWorkplace(async (workplace) => {
      const {code, last, written} = await battleInTerminal(workplace, {
        columns: 80,
        rows: 24,
        payload: '1kb',
        steps: [{when: 'round 2 of 3(.|\\n)*TCP +[\\d.]+ ms', type: '\u0003'}],
      });
      assert.equal(code, 130, written);
      const text = last.join('\n').trimEnd();
      assert.doesNotMatch(text, /so far|So far|▁|█/);
      assert.match(text.replace(/\n */g, ' '), /To continue: perf-battle --resume$/);
      assert.deepEqual(await workplace.leftoversWithin(5000), []);
    }),
  );
});
