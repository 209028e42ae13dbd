import {requireOptional} from '../../packages/load.js';

/**
 * The library of Redis, which is no dependency of perf-battle.
 * @import * as Library from 'ioredis'
 */

export const {Redis} = /** @type {typeof Library} */ (
  requireOptional('ioredis', {by: 'Redis', install: 'redis'})
);
