import {runServerProgram} from './adapters/server.js';
import {externalRabbitmq} from './transports/external-rabbitmq.js';

await runServerProgram(import.meta.url, externalRabbitmq);
