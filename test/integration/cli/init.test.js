import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';
import {it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

it(
  'init writes settings that a battle takes, and leaves files that exist',
  inAWorkplace(async (workplace) => {
    await writeFile(workplace.file('.env'), 'PB_ROUNDS=2\n');
    const {code, stdout} = await workplace.battle(['init']);
    assert.equal(code, 0);
    assert.match(stdout, /^\.env exists and stays as it is\.\nWritten: perf-battle\.config\.json\n/);
    assert.equal(await readFile(workplace.file('.env'), 'utf8'), 'PB_ROUNDS=2\n');
    const shown = await workplace.battle(['--scenario', 'nightly', '--print-config', '--quiet']);
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /^--quiet +PB_QUIET +on +--quiet$/m);
    assert.match(shown.stdout, /^--rounds +PB_ROUNDS +2 +PB_ROUNDS in \.env$/m);
    assert.match(
      shown.stdout,
      /^--payload +PB_PAYLOAD_BYTES +1kb,10kb +payload in scenario "nightly" of perf-battle\.config\.json$/m,
    );
  }),
);

it(
  'init writes .env with all settings as comments, and what it advises next runs',
  inAWorkplace(async (workplace) => {
    const {stdout} = await workplace.battle(['init']);
    const [, advice] = /^Next: npx perf-battle (.*)$/m.exec(stdout) ?? [];
    const {code, stdout: plan, stderr} = await workplace.battle([...advice.split(' '), '--dry-run']);
    assert.equal(code, 0, stderr);
    assert.match(plan, /Web Sockets/);
    const lines = (await readFile(workplace.file('.env'), 'utf8')).split('\n');
    assert.ok(lines.some((line) => line.startsWith('#PB_PAYLOAD_BYTES=')));
    assert.ok(lines.every((line) => line === '' || line.startsWith('#')));
  }),
);
