import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
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
async function battleInTerminal({path, temporary}, {payload, ...script}) {
  const command = [process.execPath, battleProgram, ...flags, '--payload', payload];
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

describe('a battle in a terminal', {timeout: 300_000, concurrency: 2}, () => {
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
      // The path of the journal may be longer than the screen is wide.
      assert.match(text.replace(/\n/g, ''), /To continue: perf-battle --resume$/);
      assert.deepEqual(await workplace.leftoversWithin(5000), []);
    }),
  );
});
