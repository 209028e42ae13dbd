import assert from 'node:assert/strict';
import {test} from 'node:test';
import http from '../../src/transports/http/index.js';
import websocket from '../../src/transports/websocket/index.js';

for (const {name, checkFiles} of [http, websocket])
  test(`a certificate without its key, and a key without its certificate, are refused by ${name}`, () => {
    const expected = {
      code: 'PB_USAGE',
      message: /^--tls-cert-file and --tls-key-file must be given together/,
    };
    assert.throws(() => checkFiles({tlsCertFile: 'c', tlsKeyFile: null}), expected);
    assert.throws(() => checkFiles({tlsCertFile: null, tlsKeyFile: 'k'}), expected);
    checkFiles({tlsCertFile: null, tlsKeyFile: null});
    checkFiles({});
  });
