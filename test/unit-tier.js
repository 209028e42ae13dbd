import {resolve} from 'node:path';
import {runUnitTests, unitTests} from './support/unit-tier.js';

// All unit tests, or the given files.
const given = process.argv.slice(2).map((name) => resolve(name));
runUnitTests(given.length > 0 ? given : unitTests());
