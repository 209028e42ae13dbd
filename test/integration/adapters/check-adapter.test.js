import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {checkPrograms} from '../../../src/conformance/check-programs.js';
import {checks} from '../../../src/conformance/program-checks.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

const program = fileURLToPath(new URL('faulty.js', import.meta.url));
const {signal} = new AbortController();

/** @param {string} fault */
function programsWith(fault) {
  const command = `"${process.execPath}" "${program}" "${fault}"`;
  return {name: fault, server: `${command} server`, client: `${command} client`};
}

/** @param {string} fault @param {string} check a part of its name */
async function find(fault, check) {
  const selected = checks.filter(({name}) => name.includes(check));
  assert.equal(selected.length, 1, check);
  for await (const finding of checkPrograms({programs: programsWith(fault), broker: null}, signal, selected))
    return finding;
  return assert.fail('it was not checked');
}

/** Each fault, the check that finds it, and what it says. @type {[string, string, RegExp][]} */
const faults = [
  ['silent about its address', 'become ready', /ready event .* does not allow: address/],
  ['miscounting', 'the server counts each', /counted [23]\d\d requests; the client sent \d+ and then 100/],
  ['endless', 'the server counts each', /samplesNs: there are 101, and 100 were asked for/],
  ['unverified', 'the server counts each', /compared only 0 of 100 replies/],
  ['forgetful', 'another payload size', /replies had 1028 bytes in place of 102400/],
  ['exclusive', 'two clients', /the server is gone/],
  ['in microseconds', 'a delay of 20 ms', /samples must be in ns/],
  ['in picoseconds', 'a delay of 20 ms', /20 samples of together \d+ ms do not fit into/],
  ['blind', 'one wrong byte', /reported 100 good round trips in spite of a wrong reply/],
  ['patient', 'does not come', /did not notice replies that did not come within 15 s/],
  ['careless', 'death of the server', /good round trips in spite of a server that was killed/],
  ['blind', 'each byte plus one', /reported 100 good round trips in spite of a wrong reply/],
  ['lossy', 'one-way messages', /the server counted 998 of 1000 messages/],
  ['garbling', 'one-way messages', /1 of them had wrong content/],
  ['silent about its warm-up', 'one-way messages', /did not say how many messages its warm-up sent/],
  ['with a clock in microseconds', 'one-way messages', /the first of 1000 messages came \d/],
  ['hasty', 'a closing call', /answered when the server had \d+ of 1000 messages/],
  ['without a duration', 'a closing call', /without durationMs/],
  ['without hits', 'a cache of the client', /answered 0 of 1000 requests; the share of hits was to be 0\.7/],
  ['asking for hits', 'a cache of the client', /the server counted 1000 requests; the client says that 300/],
  ['blind', 'a cache of the client', /in spite of a wrong reply/],
  ['skipping the last row', 'rows are decoded', /decoded 50300 rows in 100 replies of 504 rows each/],
  ['unverified', 'rows are decoded', /compared no reply with the rows/],
  ['blind', 'rows are decoded', /in spite of a wrong reply/],
  ['eager', 'does not know is refused', /ready for the workload no-such-workload/],
  ['strict', 'later versions', /what is of-a-later-version\?/],
  ['abrupt', 'stop ends both', /ended with exit code 1/],
  ['deaf', 'end with their input', /the server and the client still ran/],
  ['deaf', '5 s without a line', /still ran/],
  ['impatient', '5 s without a line', /ended after less than/],
  ['chatty', 'passwords', /wrote a password of its configuration/],
];

describe('check-adapter', {concurrency: 3, timeout: 300_000}, () => {
  for (const [fault, check, message] of faults) {
    it(`finds a pair that is ${fault}`, async () => {
      const {outcome, text} = await find(fault, check);
      assert.equal(outcome, 'failed', text);
      assert.match(text, message);
    });
  }

  it(
    'prints one line with a count for checks that one failure stops',
    inAWorkplace(async (workplace) => {
      const {code, stdout} = await workplace.battle(['check-adapter', '--external', 'x=false,false']);
      assert.equal(code, 1);
      const lines = stdout.split('\n').filter((line) => line.includes('not checked'));
      assert.deepEqual(lines, [
        `  not checked  ${checks.length - 1} checks: not before this holds: both become ready`,
      ]);
    }),
  );

  for (const {name} of checks)
    it(`finds nothing wrong with a pair without a fault: ${name}`, async () => {
      const {outcome, text} = await find('none', name);
      assert.equal(outcome, 'held', text);
    });

  it('does not take a slow pair, or one on a busy host, for one with another unit of time', async () => {
    const {outcome, text} = await find('slow', 'a delay of 20 ms');
    assert.equal(outcome, 'held', text);
  });
});
