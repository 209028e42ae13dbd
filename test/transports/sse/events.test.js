import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {
  EventReader,
  encodeEvent,
  encodePart,
  encodeReply,
  endType,
  partType,
} from '../../../src/transports/sse/events.js';

/** @import {Event} from '../../../src/transports/sse/events.js' */

/** @param {readonly Buffer[]} chunks @returns {Event[]} */
function eventsIn(chunks) {
  /** @type {Event[]} */
  const events = [];
  const reader = new EventReader((event) => events.push(event));
  for (const chunk of chunks) reader.read(chunk);
  return events;
}

test('events arrive as they were encoded, wherever the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({maxLength: 200}), {maxLength: 5}),
      fc.array(fc.integer({min: 1, max: 60}), {minLength: 1, maxLength: 20}),
      (payloads, lengths) => {
        const text = payloads.map((bytes, index) => encodeReply(String(index), Buffer.from(bytes))).join('');
        const stream = Buffer.from(text, 'latin1');
        const chunks = [];
        for (let from = 0, turn = 0; from < stream.length; turn += 1) {
          const length = lengths[turn % lengths.length];
          chunks.push(stream.subarray(from, from + length));
          from += length;
        }
        const got = eventsIn(chunks).map(({id, data}) => [id, Buffer.from(data, 'base64').toString('hex')]);
        const sent = payloads.map((bytes, index) => [String(index), Buffer.from(bytes).toString('hex')]);
        assert.deepEqual(got, sent);
      },
    ),
  );
});

for (const [title, text, expected] of /** @type {[string, string, Event[]][]} */ ([
  ['a type', encodeEvent('endpoint', '/?a=b:c'), [{type: 'endpoint', id: '', data: '/?a=b:c'}]],
  [
    'parts and their end, which may be empty',
    encodePart(partType, '7', Buffer.from('a')) + encodePart(endType, '7', Buffer.alloc(0)),
    [
      {type: 'part', id: '7', data: 'YQ=='},
      {type: 'end', id: '7', data: ''},
    ],
  ],
  ['lines that end with CRLF', 'id: 1\r\ndata: x\r\n\r\n', [{type: 'message', id: '1', data: 'x'}]],
  ['several lines of data', 'data: a\ndata:b\n\n', [{type: 'message', id: '', data: 'a\nb'}]],
  ['a comment and an unknown field', ': hello\nretry: 9\ndata\n\n', [{type: 'message', id: '', data: ''}]],
  ['no data', 'event: x\nid: 4\n\ndata: a\n\n', [{type: 'message', id: '4', data: 'a'}]],
  ['no end', 'data: a\n', []],
]))
  test(`a stream with ${title} is read as the standard says`, () => {
    assert.deepEqual(eventsIn([Buffer.from(text, 'latin1')]), expected);
  });
