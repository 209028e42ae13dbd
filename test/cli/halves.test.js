import assert from 'node:assert/strict';
import {test} from 'node:test';
import {call, serve} from '../../src/cli/halves.js';
import {InterruptedError} from '../../src/errors.js';

for (const half of [serve, call])
  test(`${half.name} does not begin where a signal came before its role could hear it`, async () => {
    const interrupted = AbortSignal.abort(new InterruptedError('SIGTERM'));
    await assert.rejects(half(['tcp'], interrupted), {code: 'PB_INTERRUPTED', exitCode: 143});
  });
