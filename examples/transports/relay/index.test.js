import {conformance} from 'perf-battle/testing';
import relay from './index.js';

// Starts a private hub, and ends it.
conformance(relay);
