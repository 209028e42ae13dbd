import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {RunError} from '../src/errors.js';
import {parseEvent} from '../src/protocol.js';
import {plainText} from '../src/report/terminal.js';
import {parseSafely, safeText} from '../src/safe-text.js';
import {anyCharacter} from './support/any-character.js';

const forbidden = /[\p{Bidi_Control}\u2028\u2029\ufeff]|[^\P{Cc}\n\t]/u;

for (const [what, given, shown] of [
  ['an escape that clears the screen', 'a\u001b[2Jb', 'a [2Jb'],
  ['a C1 control', 'a\u009b31mb', 'a 31mb'],
  ['a bell and a backspace', 'a\u0007\u0008b', 'a  b'],
  ['a carriage return, which goes back', 'a\rb', 'a b'],
  ['a turned direction', 'a\u202eb\u2066c', 'a b c'],
  ['separators of lines', 'a\u2028b\u2029c', 'a b c'],
  ['tags, which nobody sees', 'a\u{e0041}b', 'a b'],
  ['several lines', 'a\r\nb\n\tc', 'a\nb\n\tc'],
  ['letters of all scripts', 'é 漢字 👩‍💻 فارسی', 'é 漢字 👩‍💻 فارسی'],
])
  test(`a safe text of ${what}`, () => assert.equal(safeText(given), shown));

test('no text has anything left that a terminal acts on, and what is safe stays as it is', () => {
  fc.assert(
    fc.property(fc.string({unit: anyCharacter}), (text) => {
      const safe = safeText(text);
      assert.doesNotMatch(safe, forbidden);
      assert.equal(safeText(safe), safe);
      assert.doesNotMatch(plainText(text), /[\n\t]/);
    }),
  );
});

test('a document of others has no such texts, at any depth, escaped or not', () => {
  const texts = ['\u001b[2J', '\u009b', '\u202e', '\u2028', '\r'];
  const document = Object.fromEntries(texts.map((text) => [`k${text}`, [{text}]]));
  for (const json of [JSON.stringify(document), JSON.stringify(document).replaceAll('\u009b', '\\u009b')])
    assert.doesNotMatch(JSON.stringify(parseSafely(json)).replaceAll('\\n', ''), /\\u|\\r/);
  assert.doesNotMatch(Object.keys(parseSafely(JSON.stringify(document))).join(''), forbidden);
  assert.deepEqual(parseSafely('{"__proto__":"\\u001b"}'), JSON.parse('{"__proto__":" "}'));
});

test('an error, and an event of a role, have safe texts only', () => {
  assert.equal(new RunError('answered \u001b[2J\u202e').message, 'answered  [2J ');
  assert.deepEqual(parseEvent('{"event":"error","message":"\\u001b[2J"}'), {event: 'error', message: ' [2J'});
});
