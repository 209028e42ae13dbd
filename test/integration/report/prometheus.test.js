import assert from 'node:assert/strict';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {get} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {formatMetrics} from '../../../src/exports/prometheus/metrics.js';
import {completedRecord} from '../../exports/completed-record.js';
import {listeningAddresses} from '../support/ports.js';
import {runPython} from '../support/python.js';
import {Workplace} from '../support/workplace.js';

/** Prometheus' own Python client has a parser. Prints each sample as name, labels and value. */
const program = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families

for family in text_string_to_metric_families(open(sys.argv[1]).read()):
    for sample in family.samples:
        print(json.dumps([sample.name, family.type, sample.labels, sample.value]))
`;

/** @param {string} path @returns {Promise<[name: string, type: string, labels: Record<string, string>, value: number][]>} */
async function parse(path) {
  const {stdout} = await runPython('python', ['-c', program, path]);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

test('the metrics of a battle have its figures, as a parser of Prometheus reads them', async () => {
  const workplace = await Workplace.make();
  try {
    const {code, stdout, stderr} = await workplace.battle([
      ...'--transport websocket --payload 1kb --samples 40 --warmup 10 --rounds 2'.split(' '),
      ...['--export', 'prometheus', '--json', '--machine', 'a "b" \\ c'],
    ]);
    assert.equal(code, 0, stderr);
    const samples = await parse(workplace.file('results.prom'));
    assert.ok(samples.every(([, type, labels]) => type === 'gauge' && labels.machine === 'a "b" \\ c'));
    for (const {transport, rtt, throughput} of JSON.parse(stdout).cells) {
      const figure = (/** @type {string} */ name) =>
        samples.filter(([one, , labels]) => one === `perf_battle_${name}` && labels.transport === transport);
      assert.deepEqual(
        figure('rtt_seconds').map(([, , , value]) => value),
        [rtt.meanMs / 1000],
      );
      assert.deepEqual(
        figure('messages_per_second').map(([, , , value]) => value),
        [throughput.messagesPerSecond],
      );
      const [median] = figure('rtt_quantile_seconds');
      assert.deepEqual([median[2].quantile, median[3]], ['0.5', rtt.p50Ms / 1000]);
    }
  } finally {
    await workplace.clear();
  }
});

test('an endpoint serves the figures while the battle runs, to this host alone', async () => {
  const workplace = await Workplace.make();
  try {
    const battle = workplace.start('battle', [
      ...'--transport websocket --payload 1kb --duration 200ms --warmup 10 --rounds 30'.split(' '),
      ...['--metrics-port', '0'],
    ]);
    const [, url] = await battle.says(/^Metrics: (http:\S+)$/m);
    const path = workplace.file('scraped.prom');
    let text = '';
    while (!text.includes('perf_battle_rtt_seconds')) {
      await sleep(100);
      const response = await fetch(url);
      assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
      text = await response.text();
    }
    await writeFile(path, text);
    const samples = await parse(path);
    const trials = samples.filter(([name]) => name === 'perf_battle_trials');
    assert.deepEqual(trials.map(([, , labels]) => labels.transport).toSorted(), ['tcp', 'websocket']);
    assert.ok(trials.every(([, , , value]) => value >= 1 && value < 30));
    assert.ok(samples.some(([name, , , value]) => name === 'perf_battle_rtt_seconds' && value > 0));
    // A URL cannot be made of the last one.
    for (const path of ['/', '/metrics/', '//']) {
      const [{statusCode}] = await once(get({port: new URL(url).port, path}), 'response');
      assert.equal(statusCode, 404, path);
    }
    assert.deepEqual(await listeningAddresses(battle.pid), ['0100007F']);

    const {port} = new URL(url);
    const other = await workplace.battle([
      ...'--transport tcp --payload 1kb --results other.md'.split(' '),
      '--metrics-port',
      port,
    ]);
    assert.equal(other.code, 1);
    assert.match(
      other.stderr,
      new RegExp(`cannot be served on port ${port} of 127.0.0.1 \\(--metrics-port\\)`),
    );
    // It has not begun, so nothing is to be resumed.
    assert.equal(existsSync(workplace.file('other.ndjson')), false);
    battle.child.kill('SIGINT');
    assert.equal((await battle.ended).code, 130);
  } finally {
    await workplace.clear();
  }
});

test('whatever a name contains, it is read back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-metrics-'));
  try {
    const machine = 'a"b\\c\nd\\n{e="f"} # é\u2028 \u0007';
    const record = completedRecord({
      ...{transport: 'tcp', variant: {}, machine, rtt: null, floor: null},
      ...{cpu: {client: null, server: null, broker: null}, verdict: {status: 'valid', warnings: []}},
    });
    const path = join(folder, 'some.prom');
    await writeFile(path, formatMetrics([record]));
    assert.ok((await readFile(path, 'utf8')).includes('perf_battle_valid'));
    assert.deepEqual(
      (await parse(path)).map(([name, , labels]) => [name, labels.machine]),
      [
        ['perf_battle_messages_per_second', machine],
        ['perf_battle_trials', machine],
        ['perf_battle_valid', machine],
        ['perf_battle_completed', machine],
      ],
    );
  } finally {
    await rm(folder, {recursive: true});
  }
});
