import {runClientProgram} from './adapters/client.js';
import {externalRabbitmq} from './transports/external-rabbitmq.js';

await runClientProgram(import.meta.url, externalRabbitmq);
