import assert from 'node:assert/strict';
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, beforeEach, test} from 'node:test';
import fc from 'fast-check';
import {RunError, UsageError} from '../../../src/errors.js';
import {
  configurationName,
  enduroxRows,
  parseEnduroxData,
  replaceConfigurations,
  writeEnduroxData,
} from '../../../src/exports/endurox/data.js';
import {presetNames} from '../../../src/presets/index.js';
import {anyCharacter} from '../../support/any-character.js';
import {completedRecord} from '../completed-record.js';

const header = '"Configuration" "MsgSize" "CallsPerSec"\n';

const name = fc.oneof(
  fc.constantFrom('a', 'linux_4.4,kq,poll', 'v7 (i7, ssd)', "it's #1", ''),
  fc.string().map((text) => text.replace(/["\r\n]/g, '_')),
);
const figure = fc.oneof(fc.nat(), fc.double({min: 0, max: 1e9, noNaN: true}));
const row = fc.record({configuration: name, size: figure, callsPerSecond: figure}, {noNullPrototype: true});
const rows = fc.array(row, {maxLength: 12});

/** What a line of a file may be, with its line ending. */
const line = fc
  .tuple(
    fc.oneof(
      row.map(
        ({configuration, size, callsPerSecond}) =>
          ` "${configuration}"  ${size}\t${callsPerSecond.toFixed(2)} `,
      ),
      fc.constantFrom('', '  ', '# a comment'),
    ),
    fc.constantFrom('\n', '\r\n', '\r'),
  )
  .map(([text, ending]) => text + ending);
const file = fc
  .tuple(
    fc.constantFrom('', '\uFEFF', '\r\n', '# first\n'),
    fc.constantFrom(header, header.replace('\n', '\r\n')),
    fc.array(line),
    fc.constantFrom('', '"last" 1 2'),
  )
  .map((parts) => parts.flat().join(''));
const text = fc.oneof(file, fc.constantFrom('', '\uFEFF', '\r\n \r\n', header.trim()));

test('a file as the benchmark writes it is read', () => {
  const data = `${header}"v6.0.15,linux_4.15.0-43-generic,i7-6600U,16GB" 0 109776\n"Enduro/X 5.3.1 linux 4.10.0, i5-4300U" 53 3309\n`;
  assert.deepEqual(parseEnduroxData(data), [
    {configuration: 'v6.0.15,linux_4.15.0-43-generic,i7-6600U,16GB', size: 0, callsPerSecond: 109_776},
    {configuration: 'Enduro/X 5.3.1 linux 4.10.0, i5-4300U', size: 53, callsPerSecond: 3309},
  ]);
  assert.equal(replaceConfigurations('', parseEnduroxData(data)), data);
});

test('what was written is read back as it was', () => {
  fc.assert(
    fc.property(rows, (written) =>
      assert.deepEqual(parseEnduroxData(replaceConfigurations('', written)), written),
    ),
  );
});

test('an empty text, empty lines and comments hold no rows', () => {
  for (const data of ['', '\uFEFF', '\n\r\n  \n', header, `# from 2026\n\n${header}\n#"a" 1 2\n`])
    assert.deepEqual(parseEnduroxData(data), [], JSON.stringify(data));
});

test('a line that is no row is refused, with its number, what it says and what it may say', () => {
  for (const [data, place, found] of [
    ['"a" 1 2\n', 'Line 1 ', 'says "\\"a\\" 1 2"'],
    ['\n\r\n"Configuration" "MsgSize"\n', 'Line 3 ', 'says "\\"Configuration\\" \\"MsgSize\\""'],
    [`${header}\n"a" 1\n`, 'Line 3 ', 'says "\\"a\\" 1"'],
    [`${header}"a" 1 2\r\n"a" 1 2 3`, 'Line 3 ', 'says "\\"a\\" 1 2 3"'],
    [`${header}a 1 2\n`, 'Line 2 ', 'says "a 1 2"'],
    [`${header}"a"b" 1 2\n`, 'Line 2 ', 'says'],
    [`${header}"a" -1 2\n`, 'Line 2 ', 'says "\\"a\\" -1 2"'],
    [`${header}"a" 1 NA\n`, 'Line 2 ', 'says "\\"a\\" 1 NA"'],
    [`${header}"a" 0x10 2\n`, 'Line 2 ', 'says "\\"a\\" 0x10 2"'],
    [`${header}"a" 1 1e999\n`, 'Line 2 ', 'says "\\"a\\" 1 1e999"'],
    [`${header}${header}`, 'Line 2 ', 'says'],
    [`${header}${'x'.repeat(500)}\n`, 'Line 2 ', `says "${'x'.repeat(80)}…"`],
  ]) {
    for (const read of [parseEnduroxData, (/** @type {string} */ text) => replaceConfigurations(text, [])]) {
      assert.throws(
        () => read(data),
        (error) => {
          assert.ok(error instanceof UsageError, String(error));
          assert.ok(error.message.includes(place) && error.message.includes(found), error.message);
          assert.match(error.message, /must be/);
          return true;
        },
      );
    }
  }
});

test('a row that could not be read back is not written', () => {
  for (const configuration of ['a"b', 'a\nb', 'a\rb'])
    assert.throws(() => replaceConfigurations('', [{configuration, size: 1, callsPerSecond: 2}]), RangeError);
  for (const figures of [
    {size: -1, callsPerSecond: 1},
    {size: 1, callsPerSecond: Number.NaN},
    {size: Number.POSITIVE_INFINITY, callsPerSecond: 1},
  ])
    assert.throws(() => replaceConfigurations('', [{configuration: 'a', ...figures}]), RangeError);
});

test('the rows of a configuration are replaced by its new ones, and the others stay as they are', () => {
  const before = `${header}"mine" 1 10\r\n"theirs"   1\t20.50\r\n\r\n"mine" 5 30\r\n"theirs" 5 40`;
  const after = replaceConfigurations(before, [{configuration: 'mine', size: 1, callsPerSecond: 11}]);
  assert.equal(after, `${header}"theirs"   1\t20.50\r\n\r\n"theirs" 5 40\r\n"mine" 1 11\r\n`);
});

test('a text without a header gets one', () => {
  const one = [{configuration: 'a', size: 0.5, callsPerSecond: 7}];
  assert.equal(replaceConfigurations('', one), `${header}"a" 0.5 7\n`);
  assert.equal(replaceConfigurations('\n', one), `\n${header}"a" 0.5 7\n`);
  assert.equal(replaceConfigurations('', []), header);
});

test('replacing a second time changes nothing', () => {
  fc.assert(
    fc.property(text, rows, (before, added) => {
      const once = replaceConfigurations(before, added);
      assert.equal(replaceConfigurations(once, added), once);
    }),
  );
});

test('replacing leaves every other line byte for byte, and adds the rows as given', () => {
  fc.assert(
    fc.property(text, rows, (before, added) => {
      const replaced = new Set(added.map(({configuration}) => configuration));
      const kept = parseEnduroxData(before).filter(({configuration}) => !replaced.has(configuration));
      const after = replaceConfigurations(before, added);
      assert.deepEqual(parseEnduroxData(after), [...kept, ...added]);

      const others = (before.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? []).filter(
        (each) => !replaced.has(/"(.*)"/.exec(each)?.[1] ?? '\0') || each.includes('MsgSize'),
      );
      assert.ok(after.startsWith(others.join('')), JSON.stringify({before, after}));
    }),
  );
});

test('a text to which nothing is added stays as it is', () => {
  fc.assert(fc.property(file, (before) => assert.equal(replaceConfigurations(before, []), before)));
});

test('a name is made safe for the benchmark script, the file and the chart', () => {
  for (const [given, safe] of [
    ['linux_4.5,kq,epoll,i5-2520M', 'linux_4.5,kq,epoll,i5-2520M'],
    ['RabbitMQ mode 2 (confirms, manual ack)', 'RabbitMQ_mode_2_(confirms,_manual_ack)'],
    ['  AMD   EPYC\t ', 'AMD_EPYC'],
    ['Bob\'s "big" box #1', 'Bob_s_big_box_1'],
    ['C:\\bench\r\nnext\u2028line', 'C:_bench_next_line'],
    ['Größe µ', 'Größe_µ'],
    ['', '_'],
    [' " ', '_'],
  ]) {
    assert.equal(configurationName(given), safe);
  }
  fc.assert(
    fc.property(fc.string({unit: anyCharacter}), (given) => {
      const safe = configurationName(given);
      assert.match(safe, /^[^\s"'`\\#]+$/);
      assert.equal(configurationName(safe), safe);
    }),
  );
});

test('completed records become rows: KB of 1024 bytes, of which one byte is 0, and calls per second', () => {
  const labels = {facilitator: 'RabbitMQ', qualifier: 'mode 2', settings: ['confirms'], persistent: 'Yes'};
  const record = (/** @type {number} */ payloadBytes, /** @type {number} */ messagesPerSecond) =>
    completedRecord({labels, payloadBytes, throughput: {messagesPerSecond, bytesPerSecond: 0}});
  const configuration = 'RabbitMQ_mode_2_(confirms),local,AMD_EPYC';
  assert.deepEqual(
    enduroxRows([record(10_240, 1999.5), record(1, 123.4), record(100, 1234.5), record(1024, 0.12345)]),
    new Map([
      [
        'rtt',
        [
          {configuration, size: 0, callsPerSecond: 123},
          {configuration, size: 0.097_656_25, callsPerSecond: 1235},
          {configuration, size: 1, callsPerSecond: 0.123},
          {configuration, size: 10, callsPerSecond: 2000},
        ],
      ],
    ]),
  );
});

test('the figure is that of the sender where it timed itself, and that of each part where parts follow each other', () => {
  const part = (/** @type {number} */ messagesPerSecond) => ({messages: 10, meanMs: 1, messagesPerSecond});
  const rowsOf = (/** @type {Record<string, unknown>} */ phases) =>
    [...enduroxRows([completedRecord({phases})]).values()]
      .flat()
      .map(({configuration, callsPerSecond}) => [configuration, callsPerSecond]);
  assert.deepEqual(rowsOf({sender: part(123_193)}), [['RabbitMQ_mode_1,local,AMD_EPYC', 123_193]]);
  assert.deepEqual(rowsOf({enqueue: part(2000), dequeue: part(3000)}), [
    ['RabbitMQ_mode_1,dequeue,local,AMD_EPYC', 3000],
    ['RabbitMQ_mode_1,enqueue,local,AMD_EPYC', 2000],
  ]);
});

test('presets of the same workload have files of their own, and those of the benchmark its own names', () => {
  const fileOf = (/** @type {string | null} */ preset) => [
    ...enduroxRows([completedRecord({config: {preset}})]).keys(),
  ];
  assert.deepEqual(presetNames.filter((name) => name.startsWith('endurox-0')).flatMap(fileOf), [
    ...['01_tpcall', '02_tpcall_dom', '03_tpcall_threads', '04_tpacall', '05_persistent_storage'],
    '06_tpcache',
  ]);
  assert.deepEqual(['coralmq', null, 'of-tomorrow'].flatMap(fileOf), ['coralmq', 'rtt', 'rtt']);
  assert.equal(new Set(presetNames.flatMap(fileOf)).size, presetNames.length);
});

test('a given name of the configuration follows that of the variant, in place of environment and machine', () => {
  const [[row]] = enduroxRows([completedRecord()], 'my_system,linux,ssd').values();
  assert.equal(row.configuration, 'RabbitMQ_mode_1,my_system,linux,ssd');
});

test('rows are kept apart by workload, and what did not complete has none', () => {
  const found = enduroxRows([
    completedRecord(),
    completedRecord({workload: 'burst', machine: 'Other'}),
    {...completedRecord({workload: 'broken'}), outcome: 'failed', error: {code: 'PB_RUN', message: 'no'}},
    {...completedRecord({workload: 'broken'}), outcome: 'aborted'},
    completedRecord({labels: {facilitator: 'HTTP', qualifier: null, settings: [], persistent: '*N/A*'}}),
  ]);
  assert.deepEqual(
    [...found].map(([workload, list]) => [workload, list.map(({configuration}) => configuration)]),
    [
      ['rtt', ['HTTP,local,AMD_EPYC', 'RabbitMQ_mode_1,local,AMD_EPYC']],
      ['burst', ['RabbitMQ_mode_1,local,Other']],
    ],
  );
  assert.deepEqual(enduroxRows([]), new Map());
});

/** @type {string[]} */
const made = [];
/** @type {string} */
let folder;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-battle-endurox-'));
  made.push(folder);
});
after(() => Promise.all(made.map((path) => rm(path, {recursive: true}))));

const {signal} = new AbortController();
const own = '"RabbitMQ_mode_1,local,AMD_EPYC" 1 1235\n';

test('each workload gets a file of its own, in a folder that is made when it is missing', async () => {
  const target = join(folder, 'new', 'charts');
  const paths = await writeEnduroxData(target, [completedRecord(), completedRecord({workload: 'burst'})], {
    signal,
  });
  assert.deepEqual(paths, [join(target, 'rtt.txt'), join(target, 'burst.txt')]);
  for (const path of paths) assert.equal(await readFile(path, 'utf8'), header + own);
});

test('a second battle replaces its own rows and leaves those of others', async () => {
  const path = join(folder, 'rtt.txt');
  const others = '"theirs"  1\t20.50\r\n';
  await writeFile(path, `${header}"RabbitMQ_mode_1,local,AMD_EPYC" 4 99\n${others}`);
  await writeEnduroxData(folder, [completedRecord()], {signal});
  await writeEnduroxData(folder, [completedRecord()], {signal});
  const written = await readFile(path, 'utf8');
  assert.equal(written.replaceAll('\r\n', '\n'), `${header}${others}${own}`.replaceAll('\r\n', '\n'));
  assert.ok(written.startsWith(header + others));
});

test('nothing is made when no cell completed', async () => {
  const target = join(folder, 'new');
  assert.deepEqual(
    await writeEnduroxData(target, [{...completedRecord(), outcome: 'aborted'}], {signal}),
    [],
  );
  assert.deepEqual(await readdir(folder), []);
});

test('a file that holds something else stays as it is, and the error names it', async () => {
  const path = join(folder, 'rtt.txt');
  await writeFile(path, 'shopping list\n');
  await assert.rejects(writeEnduroxData(folder, [completedRecord()], {signal}), (error) => {
    assert.ok(error instanceof UsageError && error.cause instanceof UsageError);
    assert.ok(error.message.startsWith(`Cannot update ${path}: `), error.message);
    assert.match(error.message, /Line 1 .*"shopping list"/);
    return true;
  });
  assert.equal(await readFile(path, 'utf8'), 'shopping list\n');
});

test('a folder that cannot be made is an error that names it', async () => {
  const target = join(folder, 'file', 'below');
  await writeFile(join(folder, 'file'), '');
  await assert.rejects(writeEnduroxData(target, [completedRecord()], {signal}), (error) => {
    assert.ok(error instanceof RunError && error.message.includes(target), String(error));
    return true;
  });
});
