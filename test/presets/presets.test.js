import assert from 'node:assert/strict';
import {test} from 'node:test';
import {planCells} from '../../src/battle/plan.js';
import {UsageError} from '../../src/errors.js';
import {automaticWarmUp} from '../../src/measure/warm-up.js';
import {resolveOptions} from '../../src/options/resolve.js';
import {presetNames, presets, refusePreset} from '../../src/presets/index.js';
import {listPresets} from '../../src/report/describe-plan.js';
import {publishedSources} from '../../src/results/published/figures.js';
import {allOptions, optionsOfBattle} from '../../src/settings/index.js';
import {resolveBattle, settingsByPreset} from '../../src/settings/resolve-battle.js';
import {transports} from '../../src/transports/index.js';

/** The settings of a battle with a preset. @param {string} name @param {Record<string, string[]>} [flags] */
function settingsWith(name, flags = {}) {
  const sources = {flags: {...flags, preset: [name]}};
  const asked = resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, ...sources});
  return resolveBattle(asked, {payloadFileBytes: null, seed: 7});
}

test('a preset with settings of today runs both sets of cells; a setting that a person gives is that of both', () => {
  const cellsWith = (/** @type {Record<string, string[]>} */ flags) =>
    planCells(settingsWith('perf-battle-2016', {payload: ['1kb'], transport: ['websocket'], ...flags})).map(
      ({transport, variant}) => [transport, variant.noDelay, /** @type {any} */ (variant).deflate ?? null],
    );
  assert.deepEqual(cellsWith({}), [
    ['tcp', false, null],
    ['websocket', false, true],
    ['tcp', true, null],
    ['websocket', true, false],
  ]);
  assert.deepEqual(cellsWith({'websocket-deflate': ['on'], 'tcp-no-delay': ['on'], 'keep-memory': ['on']}), [
    ['tcp', true, null],
    ['websocket', true, true],
  ]);
});

/** What each is planned as: RabbitMQ counts once for each of its variants. */
const plans = {
  // Twice: as in 2016, and as of today.
  'perf-battle-2016': {
    cells: 40,
    sizes: 4,
    rounds: 1,
    workload: 'rtt',
    transports: 'http rabbitmq tcp websocket',
  },
  'endurox-rpc': {
    cells: 640,
    sizes: 128,
    rounds: 1,
    workload: 'rtt',
    transports: 'http rabbitmq tcp websocket',
  },
  'endurox-oneway': {
    cells: 384,
    sizes: 128,
    rounds: 1,
    workload: 'stream',
    transports: 'rabbitmq tcp websocket',
  },
  'endurox-01': {cells: 60, sizes: 15, rounds: 1, workload: 'rtt', transports: 'http rabbitmq tcp websocket'},
  'endurox-02': {cells: 60, sizes: 15, rounds: 1, workload: 'rtt', transports: 'http rabbitmq tcp websocket'},
  'endurox-03': {cells: 60, sizes: 15, rounds: 1, workload: 'rtt', transports: 'http rabbitmq tcp websocket'},
  'endurox-04': {cells: 45, sizes: 15, rounds: 1, workload: 'stream', transports: 'rabbitmq tcp websocket'},
  'endurox-05': {cells: 45, sizes: 15, rounds: 1, workload: 'queue', transports: 'rabbitmq'},
  'endurox-06': {cells: 15, sizes: 15, rounds: 1, workload: 'cached', transports: 'tcp'},
  coralmq: {cells: 5, sizes: 1, rounds: 2, workload: 'rtt', transports: 'http rabbitmq tcp udp websocket'},
  'socketpro-echo': {
    cells: 8,
    sizes: 1,
    rounds: 5,
    workload: 'pipeline',
    transports: 'http rabbitmq tcp websocket',
  },
  'socketpro-recordset': {
    ...{cells: 64, sizes: 4, rounds: 3, workload: 'recordset'},
    transports: 'http rabbitmq tcp websocket',
  },
  'socketpro-queue': {cells: 3, sizes: 3, rounds: 5, workload: 'queue', transports: 'rabbitmq'},
};

test('These presets there are, and each is planned as its text says', () => {
  const planned = presetNames.map((name) => {
    const settings = settingsWith(name);
    const cells = planCells(settings);
    const distinct = (/** @type {(cell: (typeof cells)[number]) => unknown} */ read) =>
      new Set(cells.map(read));
    const plan = {
      ...{cells: cells.length, sizes: distinct(({payloadBytes}) => payloadBytes).size},
      ...{rounds: settings.values.rounds, workload: [...distinct(({workload}) => workload)].join(' ')},
      transports: [...distinct(({transport}) => transport)].toSorted().join(' '),
    };
    return [name, plan];
  });
  assert.deepEqual(Object.fromEntries(planned), plans);
});

for (const name of presetNames) {
  test(`Every setting of ${name} is an option of the battle, and its value one that could be typed`, () => {
    for (const [key, value] of Object.entries(presets[name].settings)) {
      const option = optionsOfBattle.find((candidate) => candidate.key === key);
      assert.ok(option, `${key} is no option`);
      assert.equal(Array.isArray(value), option.list, `${key} is a list or is none`);
      for (const one of option.list ? /** @type {unknown[]} */ (value) : [value]) {
        assert.deepEqual(
          option.type.parse(option.type.format(/** @type {never} */ (one))),
          one,
          `${key}: ${one}`,
        );
      }
    }
  });

  test(`${name} says what it is, whose figures stand beside it, and what cannot be compared`, () => {
    const {document, summary, differs, needs} = presets[name];
    assert.ok(Object.hasOwn(publishedSources, document));
    assert.ok(differs.length >= 3);
    for (const sentence of [summary, ...differs]) assert.match(sentence, /^[\p{Lu}\d][^\n]+\.$/u);
    const known = transports.map((transport) => transport.name);
    assert.ok(needs.every((need) => known.includes(need)));
  });

  test(`${name} has samples and a warm-up for each cell, within what the options allow`, () => {
    const bounds = {samples: 1_000_000_000, warmUp: 1_000_000};
    for (const {workload, payloadBytes} of planCells(settingsWith(name))) {
      const {samples, warmUp} = presets[name].lengthOf({workload, payloadBytes});
      assert.ok(Number.isInteger(samples) && samples >= 10 && samples <= bounds.samples);
      if (warmUp.kind === 'count') {
        assert.ok(Number.isInteger(warmUp.count) && warmUp.count > 0 && warmUp.count <= bounds.warmUp);
      }
    }
  });

  test(`--list-presets tells what ${name} is, from which text, and what it needs`, () => {
    const part = listPresets(new Map([[name, 61 * 60_000]]))
      .split('\n\n')
      .find((lines) => lines.startsWith(`${name}\n`));
    const text = part?.replace(/\s+/g, ' ') ?? '';
    const {summary, document, needs} = presets[name];
    const {title, url} = publishedSources[document];
    for (const told of [summary, title, url, ...needs]) assert.ok(text.includes(told), told);
    assert.match(text, /\d rounds?, about 61 min(;|$)/);
  });
}

test('--list-presets says that its times are estimates', () => {
  assert.match(listPresets(new Map()), /\nTimes are estimates for two cores/);
});

/** Worked out by hand from what the drivers of the texts do. */
const lengths = [
  {preset: 'endurox-rpc', bytes: 1, samples: 13_333, warmUp: 60_000},
  {preset: 'endurox-rpc', bytes: 32, samples: 10_000, warmUp: 2000},
  {preset: 'endurox-rpc', bytes: 64, samples: 8000, warmUp: 2000},
  {preset: 'endurox-rpc', bytes: 2560, samples: 481, warmUp: 2000},
  {preset: 'endurox-rpc', bytes: 4064, samples: 307, warmUp: 2000},
  {preset: 'endurox-rpc', bytes: 100_000, samples: 307, warmUp: 2000},
  {preset: 'endurox-oneway', bytes: 1, samples: 133_333, warmUp: 600_000},
  {preset: 'endurox-oneway', bytes: 32, samples: 100_000, warmUp: 20_000},
  {preset: 'endurox-oneway', bytes: 4064, samples: 3076, warmUp: 20_000},
  {preset: 'endurox-01', bytes: 1, samples: 327_680, warmUp: 327_680},
  {preset: 'endurox-01', bytes: 9216, samples: 327_680, warmUp: 2000},
  {preset: 'endurox-01', bytes: 13_312, samples: 163_840, warmUp: 2000},
  {preset: 'endurox-02', bytes: 54_272, samples: 163_840, warmUp: 2000},
  {preset: 'endurox-03', bytes: 1, samples: 131_072, warmUp: 2000},
  {preset: 'endurox-04', bytes: 1, samples: 819_200, warmUp: 819_200},
  {preset: 'endurox-04', bytes: 17_408, samples: 819_200, warmUp: 20_000},
  {preset: 'endurox-04', bytes: 21_504, samples: 163_840, warmUp: 20_000},
  {preset: 'endurox-05', bytes: 1024, samples: 5000, warmUp: 500},
  {preset: 'endurox-06', bytes: 5120, samples: 327_680, warmUp: 2000},
  {preset: 'coralmq', bytes: 256, samples: 1_000_000, warmUp: null},
  {preset: 'perf-battle-2016', bytes: 1024, samples: 5000, warmUp: null},
  {preset: 'socketpro-echo', bytes: 16, samples: 10_000, warmUp: null},
  {preset: 'socketpro-recordset', bytes: 8389, samples: 100, warmUp: null},
  {preset: 'socketpro-queue', bytes: 200, samples: 100_000, warmUp: null},
];
for (const {preset, bytes, samples, warmUp} of lengths) {
  const before = warmUp === null ? 'until warm' : `after ${warmUp}`;
  test(`${preset} sends ${samples} messages of ${bytes} bytes, ${before}`, () => {
    const length = presets[preset].lengthOf({workload: '', payloadBytes: bytes});
    const expected = warmUp === null ? automaticWarmUp : {kind: 'count', count: warmUp};
    assert.deepEqual(length, {samples, warmUp: expected});
  });
}

test('The sizes of endurox-rpc are one byte and 32 to 4064 bytes in steps of 32', () => {
  const sizes = /** @type {number[]} */ (presets['endurox-rpc'].settings.payloadBytes);
  assert.deepEqual([sizes.slice(0, 3), sizes.slice(-2), sizes.length], [[1, 32, 64], [4032, 4064], 128]);
  assert.deepEqual(presets['endurox-oneway'].settings.payloadBytes, sizes);
});

test('The sizes of endurox-01 to 06 are one byte and 1 to 53 KB in steps of 4', () => {
  const kilobytes = [1, 5, 9, 13, 17, 21, 25, 29, 33, 37, 41, 45, 49, 53];
  for (const name of ['01', '02', '03', '04', '05', '06'])
    assert.deepEqual(presets[`endurox-${name}`].settings.payloadBytes, [
      1,
      ...kilobytes.map((count) => count * 1024),
    ]);
});

test('The settings of presets are found by name', () => {
  const settings = settingsByPreset([
    {name: 'one', settings: {rounds: 1}},
    {name: 'two', settings: {rounds: 2}},
  ]);
  assert.deepEqual([settings.get('two'), settings.get('three')], [{rounds: 2}, undefined]);
});

test('What a person gives wins over the preset', () => {
  const cells = planCells(settingsWith('endurox-rpc', {payload: ['1kb'], transport: ['tcp']}));
  assert.deepEqual(
    cells.map(({transport, payloadBytes, variant}) => [transport, payloadBytes, variant.answer]),
    [['tcp', 1024, 'increment']],
  );
});

test('A preset is refused when the person leaves out a transport that it needs, and both are named', () => {
  assert.throws(
    () => refusePreset(presets['socketpro-queue'], {transport: ['http', 'tcp']}),
    (error) =>
      error instanceof UsageError &&
      /--preset socketpro-queue needs the transport rabbitmq; --transport http,tcp leaves/.test(
        error.message,
      ),
  );
  for (const transport of [null, ['rabbitmq'], ['http', 'rabbitmq']])
    refusePreset(presets['socketpro-queue'], {transport});
  refusePreset(presets['endurox-01'], {transport: ['http']});
});
