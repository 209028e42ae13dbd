import assert from 'node:assert/strict';
import {test} from 'node:test';
import {UsageError} from '../../src/errors.js';
import {refuseFewOpenFiles} from '../../src/files/open-files.js';

test('too few open files are refused, with the number that is needed', () => {
  for (const limit of [null, 256, 1024]) refuseFewOpenFiles(limit);
  for (const limit of [64, 255])
    assert.throws(
      () => refuseFewOpenFiles(limit),
      (error) =>
        error instanceof UsageError &&
        error.message.includes(`have ${limit} files open here, and perf-battle needs at least 256`),
    );
});
