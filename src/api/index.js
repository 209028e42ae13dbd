/**
 * What `import … from 'perf-battle'` gives: battles, comparisons and records for other programs (docs/api.md).
 *
 * @import * as Battles from './battle.js'
 * @import * as Comparisons from './compare.js'
 * @import * as Events from './progress-events.js'
 * @import * as Given from '../settings/given.js'
 * @import * as Records from '../results/record-schema.js'
 *
 * @typedef {Battles.Battle} Battle
 * @typedef {Battles.BattleDocument} BattleDocument
 * @typedef {Given.GivenSettings} BattleSettings
 * @typedef {Events.ProgressEvent} ProgressEvent
 * @typedef {Comparisons.ComparisonDocument} ComparisonDocument
 * @typedef {Records.CellRecord} CellRecord
 * @typedef {Records.CompletedRecord} CompletedRecord
 */

export {InterruptedError, PerfBattleError, RunError, UnavailableError, UsageError} from '../errors.js';
export {battle} from './battle.js';
export {compare} from './compare.js';
export {readRecords} from './read-records.js';
