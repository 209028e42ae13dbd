import {startFailed as failed} from '../start.js';

/** @param {string} reason */
export const startFailed = (reason) => failed('RabbitMQ', reason);
