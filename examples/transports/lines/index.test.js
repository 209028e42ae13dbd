import {conformance} from 'perf-battle/testing';
import lines from './index.js';

for (const linesEncoding of ['base64', 'hex']) conformance(lines, {linesEncoding});
