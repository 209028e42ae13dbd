import assert from 'node:assert/strict';
import {createPrivateKey, X509Certificate} from 'node:crypto';
import {test} from 'node:test';
import {createSecureContext} from 'node:tls';
import fc from 'fast-check';
import {makeThrowawayCertificate} from '../../src/net/tls.js';

test('a throwaway certificate is valid now, signed by its own key, and named', () => {
  const {cert, key} = makeThrowawayCertificate('perf-battle');
  const parsed = new X509Certificate(cert);
  assert.equal(parsed.subject, 'CN=perf-battle');
  assert.ok(parsed.checkIssued(parsed) && parsed.verify(parsed.publicKey));
  assert.ok(parsed.checkPrivateKey(createPrivateKey(key)));
  assert.ok(Date.parse(parsed.validFrom) < Date.now());
  assert.ok(Date.parse(parsed.validTo) > Date.now() + 300 * 86_400_000);
  createSecureContext({cert, key, ca: [cert]});
});

test('a name of any length is written as it is, and no two certificates have one serial number', () => {
  const serials = new Set();
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,300}$/), (name) => {
      const parsed = new X509Certificate(makeThrowawayCertificate(name).cert);
      assert.equal(parsed.subject, `CN=${name}`);
      assert.ok(!serials.has(parsed.serialNumber));
      serials.add(parsed.serialNumber);
    }),
    {numRuns: 30, examples: [['a'.repeat(127)], ['b'.repeat(128)], ['c'.repeat(256)]]},
  );
});
