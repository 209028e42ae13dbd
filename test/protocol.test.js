import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {inPhase, named, parseEvent, parseMessage} from '../src/protocol.js';

/** @import {RoleEvent} from '../src/messages.js' */

describe('a control message', () => {
  it('is read from a line', () => {
    assert.deepEqual(parseMessage('{"type":"go"}'), {type: 'go'});
    const options = {workload: 'rtt'};
    assert.deepEqual(parseMessage(JSON.stringify({type: 'configure', options})), {
      type: 'configure',
      options,
    });
  });

  for (const line of ['{"type":"fly"}', '{"type":"toString"}', '{}', 'null', '7', '"go"', '["go"]'])
    it(`is ignored when it is not known: ${line}`, () => assert.equal(parseMessage(line), null));

  it('must be JSON', () => assert.throws(() => parseMessage('{"type":'), SyntaxError));
});

describe('an event', () => {
  it('is read from a line', () => {
    assert.deepEqual(parseEvent('{"event":"ready"}'), {event: 'ready'});
  });

  for (const line of [
    '{"event":"birth"}',
    '{}',
    'null',
    '7',
    '"ready"',
    '[]',
    '',
    '{"event":',
    'Debugger attached.',
  ])
    it(`is ignored when it is none: ${JSON.stringify(line)}`, () => assert.equal(parseEvent(line), null));

  it('is told apart by its name and by its phase', () => {
    /** @type {RoleEvent[]} */
    const events = [
      {event: 'error', code: 'PB_RUN', message: 'It failed.', exitCode: 1},
      {event: 'progress', phase: 'clock', atMs: 1},
      {event: 'progress', phase: 'count', received: 2},
    ];
    assert.deepEqual(events.filter(named('error')), [events[0]]);
    assert.deepEqual(events.filter(inPhase('count')), [events[2]]);
  });
});
