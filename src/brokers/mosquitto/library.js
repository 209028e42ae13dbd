import {requireOptional} from '../../packages/load.js';

/**
 * The library of MQTT, which is no dependency of perf-battle.
 * @import * as Library from 'mqtt'
 */

export const {MqttClient} = /** @type {typeof Library} */ (
  requireOptional('mqtt', {by: 'MQTT', install: 'mqtt'})
);
