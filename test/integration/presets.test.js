import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {inAWorkplace} from './support/each-in-a-workplace.js';

describe('a battle with a preset', {timeout: 900_000}, () => {
  it(
    'is named in its rows, exported under the names of its benchmark, and shown again beside the published figures',
    inAWorkplace(async (workplace) => {
      const preset = ['--preset', 'endurox-04'];
      const run = await workplace.battle([
        ...[...preset, '--transport', 'tcp', '--payload', '1kb', '--scale', '0.001'],
        ...['--export', 'endurox', '--export-configuration', 'my_system,linux'],
      ]);
      assert.equal(run.code, 0, run.stderr);

      const [cell] = await workplace.cells();
      assert.ok(cell.outcome === 'completed');
      const {sender} = cell.phases;
      assert.notEqual(Math.round(sender.messagesPerSecond), Math.round(cell.throughput.messagesPerSecond));
      assert.equal(
        await readFile(workplace.file('endurox/04_tpacall.txt'), 'utf8'),
        `"Configuration" "MsgSize" "CallsPerSec"\n"TCP_(closing_call),my_system,linux" 1 ${Math.round(sender.messagesPerSecond)}\n`,
      );

      for (const row of await workplace.rows()) assert.match(row, /TCP \(.*preset endurox-04, scale 0\.001/);

      const comparison = run.stdout.slice(
        run.stdout.indexOf('| System'),
        run.stdout.indexOf('2 rows appended'),
      );
      const again = await workplace.battle(['table', ...preset]);
      assert.ok(comparison.includes('measured here'));
      assert.ok(again.stdout.includes(comparison.trim()), again.stdout);
      const other = await workplace.battle(['table', '--preset', 'coralmq']);
      assert.equal(other.code, 1);
      assert.match(other.stderr, /has no completed cell of --preset coralmq yet/);
    }),
  );

  it(
    'refuses the name of a configuration that the data files could not hold, or without an export that has one',
    inAWorkplace(async (workplace) => {
      const spaced = await workplace.battle(['--export', 'endurox', '--export-configuration', 'my system']);
      assert.equal(spaced.code, 2);
      assert.match(spaced.stderr, /--export-configuration must be a name .*without spaces.*"my system"/);
      const useless = await workplace.battle([
        '--export',
        'hlog',
        '--export-configuration',
        'mine',
        '--dry-run',
      ]);
      assert.equal(useless.code, 2);
      assert.match(useless.stderr, /--export-configuration .*needs --export endurox/);
    }),
  );
});
