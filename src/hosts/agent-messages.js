/**
 * What a battle and its agent on another host say to each other, as JSON lines. Each role has an id.
 *
 * @import {ProcessSettings} from './host.js'
 */

/**
 * The lines to the agent. `start`: the script's path is relative to the package. `write` and `end` are for the role's standard input, which may
 * carry secrets.
 * @typedef {{command: 'start', id: number, script: string} & ProcessSettings} StartRole
 * @typedef {{command: 'write', text: string} | {command: 'end'} | {command: 'kill', signal: NodeJS.Signals}} RoleCommand
 * @typedef {StartRole | RoleCommand & {id: number} | {command: 'beat'}} AgentCommand
 */

/**
 * The lines from the agent. `process` is written before it starts. `stdout` and `stderr`: what a role wrote; `error`: it could not be started; `close`: it ended, and nothing more comes.
 * @typedef {{event: 'stdout' | 'stderr', text: string} | {event: 'error', message: string} |
 *   {event: 'close', code: number | null, signal: NodeJS.Signals | null}} EventOfRole
 * @typedef {EventOfRole & {id: number} | {event: 'beat'} | {event: 'process', pid: number}} AgentEvent
 */
