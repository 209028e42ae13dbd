/**
 * What a battle and the supervisor of a private broker say to each other, as JSON lines.
 *
 * @import {HostPlan, RunningNode} from './kind.js'
 * @import {ProcessTimes} from '../measure/process-times.js'
 */

/**
 * The first line to the supervisor. A password is in it, which is why it is not on a command line.
 * @typedef {object} SupervisorInstructions
 * @property {string} kind name of the kind of broker
 * @property {HostPlan} plan
 * @property {string[] | undefined} [programFolders] where to look for the kind's program; default where packages put it
 * @property {string | undefined} [base] the folder for temporary files; default the system's
 * @property {boolean} beats whether `beat` commands follow, once a second
 */

/**
 * The lines after it. verify: asked when the nodes of all hosts have started.
 * @typedef {{command: 'verify' | 'times' | 'beat'}} SupervisorCommand
 */

/**
 * The lines from the supervisor. died: a node ended unasked.
 * @typedef {{event: 'folder', folder: string} | {event: 'started', nodes: RunningNode[]} | {event: 'formed'} |
 *   {event: 'times', times: ProcessTimes | null} | {event: 'died', reason: string} | {event: 'failed', message: string}} SupervisorEvent
 */
