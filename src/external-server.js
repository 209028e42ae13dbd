import {runServerProgram} from './adapters/server.js';
import {external} from './transports/external.js';

await runServerProgram(import.meta.url, external);
