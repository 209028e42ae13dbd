import assert from 'node:assert/strict';
import {test} from 'node:test';

test('at least one system is named', () => {
  const {NDRX_HOME, SOCKETPRO_HOME} = process.env;
  assert.ok(NDRX_HOME || SOCKETPRO_HOME, 'Set NDRX_HOME or SOCKETPRO_HOME: docs/evidence/systems.md');
});
