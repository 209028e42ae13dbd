import {runClientProgram} from './adapters/client.js';
import {external} from './transports/external.js';

await runClientProgram(import.meta.url, external);
