import {parseSafely} from './safe-text.js';

/**
 * The contract between a battle and the processes that it starts, each in the role of a server or a client. Both directions carry JSON
 * lines: one object per line. A role reads control messages from its standard input and writes events to its standard output. Readers
 * ignore messages, events and fields that they do not know.
 *
 * The measurement of one cell takes these steps:
 *
 * 1. `configure` goes to each server, which answers `ready` with its address; then to each client, which connects and answers `ready`.
 * 2. `start` goes to each client, which warms up and answers with the phase `warm`.
 * 3. `mark` goes to each server, which answers with the phase `mark`. What it served before this mark does not count.
 * 4. `go` goes to each client, which answers with the phases `measuring` and `measured`, then with `result`.
 * 5. `mark` goes to each server again, which answers with what it served since the first one.
 *
 * Where a cell is measured in slices, `go` says so. A client then answers with the phase `measuring` and waits. Each `slice` makes it measure for a
 * moment, which it answers with the phase `measured`. After the last one, `end` asks for the `result`. What a server uses counts between `resume` and
 * `pause` only.
 *
 * The steps are repeated for each further payload size that the same processes measure. The options of such a `configure` differ from
 * the first ones in the payload, the length and the warm-up only. A server goes on listening, and a client keeps its connection. At the end:
 *
 * 6. `stop` goes to all. A role closes what it opened, and exits with code 0.
 *
 * A third role, the watcher, runs on the host of a broker. `configure` begins a capture, and is answered with `ready`. `mark` ends it, and is answered
 * with the phase `passed`.
 *
 * At any time the battle may send `count` (servers answer with the phase `count`) and `clock` (answered with the phase `clock`). It sends a
 * `beat` every second. Around the measured part it may send `profile`, which is answered with the phase `profile`. A role ends at the end of its
 * input, or after 5 s without a message. A role that fails writes `error` in place of what is awaited, and exits.
 */

/** @import {ControlMessage, RoleEvent} from './messages.js' */

/** @type {Readonly<Record<ControlMessage['type'], true>>} */
const messageTypes = {
  configure: true,
  start: true,
  go: true,
  slice: true,
  end: true,
  mark: true,
  pause: true,
  resume: true,
  count: true,
  clock: true,
  profile: true,
  beat: true,
  stop: true,
};

/** @type {Readonly<Record<RoleEvent['event'], true>>} */
const eventNames = {ready: true, progress: true, result: true, error: true};

/**
 * @param {string} line of a role's standard input
 * @returns {ControlMessage | null} null: a message of another version
 * @throws {SyntaxError} when it is no JSON
 */
export function parseMessage(line) {
  const message = JSON.parse(line);
  return Object.hasOwn(messageTypes, message?.type) ? message : null;
}

/**
 * @param {string} line of a role's standard output; its texts are made safe
 * @returns {RoleEvent | null} null: an event of another version, or output of a library
 */
export function parseEvent(line) {
  let event;
  try {
    event = parseSafely(line);
  } catch {
    return null;
  }
  return Object.hasOwn(eventNames, event?.event) ? event : null;
}

/**
 * @template {RoleEvent['event']} Name
 * @param {Name} name
 */
export function named(name) {
  return (
    /**
     * @template {RoleEvent} Event
     * @param {Event} event @returns {event is Extract<Event, {event: Name}>}
     */
    (event) => event.event === name
  );
}

/**
 * @template {Extract<RoleEvent, {event: 'progress'}>['phase']} Phase
 * @param {Phase} phase
 */
export function inPhase(phase) {
  return (
    /**
     * @template {RoleEvent} Event
     * @param {Event} event @returns {event is Extract<Event, {event: 'progress', phase: Phase}>}
     */
    (event) => event.event === 'progress' && event.phase === phase
  );
}
