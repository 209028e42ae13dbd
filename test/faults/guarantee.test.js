import assert from 'node:assert/strict';
import {test} from 'node:test';
import {
  classOfWrites,
  flushOrderIn,
  measuredClass,
  nameOfGuarantee,
  replicasOf,
} from '../../src/faults/guarantee.js';

/** @import {Evidence, GuaranteeClass} from '../../src/faults/found.js' */

/** @param {Partial<Evidence>} some @returns {Evidence} */
function evidence(some) {
  return {
    ...{messages: 1000, payloadBytes: 1024, isConfirmed: true, rttMs: 1, ratePerSecond: 1000},
    ...{dirtiedBytesPerMessage: 1100, flushesPerMessage: 0},
    ...some,
  };
}

const classes = /** @type {const} */ ([
  ['nothing is confirmed', {isConfirmed: false}, 'fire and forget'],
  ['nothing is written', {dirtiedBytesPerMessage: 12}, 'in memory'],
  ['nothing is flushed', {}, 'in the page cache'],
  ['one flush for many messages', {flushesPerMessage: 0.1}, 'batched on disk'],
  [
    'a flush for each message',
    {dirtiedBytesPerMessage: 5300, flushesPerMessage: 1.02},
    'on disk before the acknowledgement',
  ],
  [
    'it flushes each message after its answer',
    {flushesPerMessage: 2, flushOrder: 'after'},
    'batched on disk',
  ],
  [
    'most nodes of a cluster flush each message',
    {replicas: 3, flushesPerMessage: 2},
    'on disk before the acknowledgement',
  ],
  ['one node of three flushes each message', {replicas: 3, flushesPerMessage: 1}, 'batched on disk'],
  ['writes are not known', {dirtiedBytesPerMessage: null}, null],
  ['flushes are not known', {flushesPerMessage: null}, null],
]);
for (const [when, some, expected] of classes) {
  test(`where ${when}, the class of the writes is ${expected}`, () => {
    assert.equal(classOfWrites(evidence(some)), expected);
  });
}

test('nodes that write less than half of a message do not keep it', () => {
  const replicas = replicasOf({payloadBytes: 1024, dirtiedBytesByNode: [5300, 100, 5290, null]});
  assert.equal(replicas, 2);
  assert.equal(
    nameOfGuarantee('in the page cache', evidence({replicas})),
    'in the page cache, replicated on 2',
  );
  assert.equal(replicasOf({payloadBytes: 1024, dirtiedBytesByNode: [12]}), 1);
  assert.equal(nameOfGuarantee('in memory', evidence({replicas: 1})), 'in memory');
  assert.equal(nameOfGuarantee(null, null), null);
});

/** @type {[string, GuaranteeClass | null, Partial<Parameters<typeof measuredClass>[1]>, {class: GuaranteeClass | null, isBroken: boolean}][]} */
const found = [
  [
    'keeps its class',
    'on disk before the acknowledgement',
    {crash: 'kept', powerCut: 'kept'},
    {class: 'on disk before the acknowledgement', isBroken: false},
  ],
  [
    'may lose what it never promised to keep',
    'in the page cache',
    {crash: 'kept', powerCut: 'lost'},
    {class: 'in the page cache', isBroken: false},
  ],
  [
    'is batched where a power cut leaves a part',
    'in the page cache',
    {crash: 'kept', powerCut: 'lost', isPartlyKept: true},
    {class: 'batched on disk', isBroken: false},
  ],
  [
    'breaks its promise by a power cut',
    'on disk before the acknowledgement',
    {crash: 'kept', powerCut: 'lost'},
    {class: 'in the page cache', isBroken: true},
  ],
  [
    'breaks its promise by a crash',
    'on disk before the acknowledgement',
    {crash: 'lost'},
    {class: 'in memory', isBroken: true},
  ],
  [
    'breaks its promise by an orderly stop, too',
    'on disk before the acknowledgement',
    {others: ['kept', 'lost']},
    {class: 'in memory', isBroken: true},
  ],
  [
    'that writes what it does not read again has it in memory',
    'in the page cache',
    {crash: 'lost'},
    {class: 'in memory', isBroken: false},
  ],
  [
    'breaks no promise where nothing can be read',
    'on disk before the acknowledgement',
    {crash: 'kept', powerCut: 'unavailable'},
    {class: 'on disk before the acknowledgement', isBroken: false},
  ],
  [
    'that confirms nothing promises nothing',
    'fire and forget',
    {crash: 'lost', powerCut: 'lost'},
    {class: 'fire and forget', isBroken: false},
  ],
  [
    'has the class of its losses where writes are not known',
    null,
    {crash: 'lost', powerCut: 'lost'},
    {class: 'in memory', isBroken: false},
  ],
  ['has no class where nothing was tried', null, {}, {class: null, isBroken: false}],
  ['has no class where only a crash was tried', null, {crash: 'kept'}, {class: null, isBroken: false}],
];
for (const [what, ofWrites, some, expected] of found) {
  test(`a row ${what}`, () => {
    const outcomes = {
      crash: /** @type {const} */ ('not tried'),
      powerCut: /** @type {const} */ ('not tried'),
      others: [],
      ...some,
    };
    assert.deepEqual(measuredClass(ofWrites, outcomes), expected);
  });
}

const port = 5672;
const socket = `8<TCP:[127.0.0.1:${port}->127.0.0.1:42970]>`;
const other = '9<TCP:[127.0.0.1:42970->127.0.0.1:4369]>';

/** As strace prints them. */
const calls = {
  message: `read(${socket}, ""..., 20474) = 1055`,
  nothing: `recvfrom(${socket}, 0x7f1b9c7ab040, 3939840, 0, NULL, NULL) = -1 EAGAIN (Resource temporarily unavailable)`,
  answer: `writev(${socket}, [...], 2) = 21`,
  flush: 'fdatasync(7</tmp/appendonly.aof>) = 0',
  failed: 'fsync(7</tmp/appendonly.aof>) = -1 EIO (Input/output error)',
  elsewhere: `write(${other}, ""..., 4) = 4`,
  begun: 'fsync(7</tmp/a file (1)> <unfinished ...>',
  returned: '<... fsync resumed>) = 0',
};

/** @param {readonly (keyof typeof calls)[]} names @param {{times?: number, prefix?: string}} [how] */
function trace(names, {times = 30, prefix = ''} = {}) {
  const lines = names.map((name) => `${prefix}${calls[name]}`);
  return [...Array.from({length: times}, () => lines).flat(), `${prefix}${calls.message}`, ''].join('\n');
}

/** @type {[string, readonly (keyof typeof calls)[], ReturnType<typeof flushOrderIn>][]} */
const orders = [
  ['a flush between message and answer', ['message', 'flush', 'answer'], 'before'],
  ['a flush after the answer', ['message', 'answer', 'flush'], 'after'],
  ['no flush', ['message', 'nothing', 'answer'], 'none'],
  ['a flush that failed', ['message', 'failed', 'answer'], 'none'],
  [
    'a flush that has begun before the answer and returned after it',
    ['message', 'begun', 'answer', 'returned'],
    'after',
  ],
  [
    'a flush that returned before the answer',
    ['message', 'begun', 'elsewhere', 'returned', 'answer'],
    'before',
  ],
  ['a message that is read in parts', ['message', 'message', 'flush', 'message', 'answer'], 'before'],
  ['what is written elsewhere', ['message', 'elsewhere', 'flush', 'answer', 'elsewhere'], 'before'],
];
for (const [what, names, expected] of orders)
  for (const prefix of ['', '25225 ', '[pid 25225] '])
    test(`${what} shows the order ${expected}${prefix ? `, in lines that begin with ${prefix}` : ''}`, () => {
      assert.equal(flushOrderIn(trace(names, {prefix}), port), expected);
    });

test('few messages, a trace of something else, or none show no order', () => {
  assert.equal(flushOrderIn(trace(['message', 'flush', 'answer'], {times: 5}), port), null);
  assert.equal(flushOrderIn(trace(['message', 'flush', 'answer']), 5673), null);
  assert.equal(
    flushOrderIn('strace: attach: ptrace(PTRACE_SEIZE, 7): Operation not permitted\n', port),
    null,
  );
  assert.equal(flushOrderIn('', port), null);
});

test('a flush for every second message is neither', () => {
  const mixed = trace(['message', 'flush', 'answer', 'message', 'answer']);
  assert.equal(flushOrderIn(mixed, port), 'none');
});
