import {halfOf, runUnitTests, unitTests} from './support/unit-tier.js';

// The halves run at the same time.
runUnitTests(halfOf(unitTests(), 1));
