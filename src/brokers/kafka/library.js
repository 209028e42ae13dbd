import {importOptional} from '../../packages/load.js';

/**
 * The library of Kafka, which is no dependency of perf-battle.
 * @import * as Library from '@platformatic/kafka'
 */

export const {Admin, Consumer, ProduceAcks, Producer} = /** @type {typeof Library} */ (
  await importOptional('@platformatic/kafka', {by: 'Kafka', install: 'kafka'})
);
