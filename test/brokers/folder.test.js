import assert from 'node:assert/strict';
import {test} from 'node:test';
import {usableBase} from '../../src/brokers/folder.js';

test('a private broker is in the folder for temporary files, unless its programs cannot use that path', () => {
  for (const base of ['/tmp', '/var/of %h', '/back\\slash', '/{a},[b]~ü', `/${'x'.repeat(110)}`])
    assert.equal(usableBase(base), base);
  for (const base of ["/it's", '/quo"te', '/tick`', '/st*r', '/wh?t', '/line\nfeed'])
    assert.equal(usableBase(base), '/tmp');
});
