import assert from 'node:assert/strict';
import {test} from 'node:test';
import {flushOrderIn} from '../../src/faults/guarantee.js';

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
