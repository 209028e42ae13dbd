import assert from 'node:assert/strict';
import {test} from 'node:test';
import {helpOfRole} from '../../src/roles/by-hand.js';
import {transports} from '../../src/transports/index.js';

for (const width of [60, 80, 110])
  test(`the help of each half by hand fits into ${width} columns`, () => {
    for (const transport of transports)
      for (const role of /** @type {const} */ (['server', 'client'])) {
        const text = helpOfRole(transport, role, 'bin/perf-battle.js', width);
        // A word that is longer than a line has a line of its own, and so has the name of a variable with its default.
        const wide = text.split('\n').filter((line) => line.length > width && /\S \S/.test(line.trim()));
        assert.deepEqual(
          wide.filter((line) => !/^ {2}\w+ \(default /.test(line)),
          [],
          `${transport.name} ${role}`,
        );
      }
  });
