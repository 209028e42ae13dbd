import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {inAWorkplace} from './support/each-in-a-workplace.js';

describe('a battle with a preset', {timeout: 1_200_000}, () => {
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

      const [comparison] = /^\| System[\s\S]*?(?=\n\n)/m.exec(run.stdout) ?? [];
      assert.match(comparison ?? '', /measured here/);
      assert.match(comparison ?? '', /i7-6600U,16GB +\| published: .*04_tpacall\.txt at 4cdc993a1/);
      const again = await workplace.battle(['table', ...preset]);
      assert.ok(again.stdout.includes(comparison ?? ''), again.stdout);
      const other = await workplace.battle(['table', '--preset', 'coralmq']);
      assert.equal(other.code, 1);
      assert.match(other.stderr, /has no completed cell of --preset coralmq yet/);
    }),
  );

  it(
    'is estimated alike by --list-presets and --dry-run, which shows the counts and warm-ups of its cells',
    inAWorkplace(async (workplace) => {
      const {stdout: list} = await workplace.battle(['--list-presets']);
      for (const name of ['endurox-03', 'endurox-05', 'endurox-06', 'socketpro-queue']) {
        const {stdout: plan} = await workplace.battle(['--preset', name, '--dry-run']);
        const [, planned] = /: (about [^.]+)\./.exec(plan) ?? [];
        const [, listed] =
          new RegExp(`^${name}\n(?: {4}.*\n)*? {4}\\d rounds?, (about [^;\n]+)`, 'm').exec(list) ?? [];
        assert.ok(planned !== undefined && planned === listed, `${name}: ${planned}, ${listed}`);
        if (name === 'endurox-05') assert.match(plan, / 1kb .* 5000 messages after 500 messages\n/);
      }
    }),
  );

  it(
    'may be all of them, each a battle of its own; what an interruption leaves out is named',
    inAWorkplace(async (workplace) => {
      const all = ['--preset', 'all'];
      const plan = await workplace.battle([...all, '--scale', 'auto', '--budget', '60m', '--dry-run']);
      assert.match(plan.stdout, /^endurox-01 +scale 0\.\d+, about \d+ min$/m);
      assert.match(plan.stdout, /^Together about (59|60) min\.$/m);
      const short = await workplace.battle([...all, '--scale', 'auto', '--budget', '1m']);
      assert.equal(short.code, 2);
      assert.match(short.stderr, /the presets take about .* together; the budget is 60 s\. Give a longer/);
      const long = await workplace.battle([...all, '--budget', '60m', '--dry-run']);
      assert.match(long.stdout, /^Together about \d h\. That is longer than the budget; --scale auto makes/m);
      const replaced = await workplace.battle([...all, '--export', 'hlog']);
      assert.equal(replaced.code, 2);
      assert.match(replaced.stderr, /--export hlog writes a file of one battle/);
      const useless = await workplace.battle([...all, '--dry-run', '--arrivals', 'poisson']);
      assert.equal(useless.code, 2);
      assert.match(useless.stderr, /--arrivals poisson has no effect here/);
      const elsewhere = await workplace.battle(['ec2', 'run', ...all, '--instance-type', 't2.micro']);
      assert.equal(elsewhere.code, 2);
      assert.match(elsewhere.stderr, /--preset all is several battles.* Name one preset\./);

      const small = ['--transport', 'tcp', '--payload', '1kb', '--scale', '0.0001'];
      const run = workplace.start('battle', [...all, ...small]);
      await run.says(/Preset 4 of 11: endurox-01/);
      run.child.kill('SIGINT');
      const {code, stderr} = await run.ended;
      assert.equal(code, 130, stderr);
      assert.match(
        stderr,
        /^Warning: endurox-05 is not run\. --preset endurox-05 needs the transport rabbitmq/m,
      );
      assert.match(
        stderr,
        /The preset \S+ was interrupted\..* These were not run: .*socketpro-recordset\.\n/,
      );
      const rows = (await workplace.rows()).join('\n');
      for (const name of ['perf-battle-2016', 'endurox-rpc', 'endurox-oneway'])
        assert.match(rows, new RegExp(`preset ${name}, scale 0\\.0001`));
      const {stdout} = await workplace.battle(['table', ...all]);
      assert.match(stdout, /endurox-rpc[\s\S]*endurox-oneway/);
      assert.deepEqual(await workplace.leftovers(), []);
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
