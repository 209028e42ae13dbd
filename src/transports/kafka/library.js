import {requireOptional} from '../../packages/load.js';

/**
 * The library of Kafka, which is no dependency of perf-battle.
 * @import * as Library from '@platformatic/kafka'
 */

export const {ProduceAcks} = /** @type {typeof Library} */ (
  requireOptional('@platformatic/kafka', {by: 'Kafka', install: 'kafka'})
);
