import {parseSafely} from './safe-text.js';

/**
 * The contract between a battle and the processes that it starts, each in the role of a server or a client. Both directions carry JSON
 * lines: one object per line. A role reads control messages from its standard input and writes events to its standard output. Readers
 * ignore messages, events and fields that they do not know.
 *
 * The measurement of one cell takes these steps:
 *
 * 1. The battle sends `configure` to each server, which answers `ready` with its address. It then sends `configure` to each client, which
 *    connects and answers `ready`.
 * 2. The battle sends `start` to each client, which warms up and answers with the phase `warm`.
 * 3. The battle sends `mark` to each server, which answers with the phase `mark`. Messages served before this mark do not count.
 * 4. The battle sends `go` to each client, which answers with the phases `measuring` and `measured`, then with `result`.
 * 5. The battle sends a second `mark` to each server, which answers with the messages served since the first mark.
 *
 * `go` says whether a cell is measured in slices. A client then answers with the phase `measuring` and waits. For each `slice`, the client measures
 * for a moment and answers with the phase `measured`. After the last slice, `end` asks for the `result`. The resources that a server uses count
 * between `resume` and `pause` only.
 *
 * The steps are repeated for each further payload size that the same processes measure. The options of a repeated `configure` differ only in
 * the payload, the length and the warm-up. A server keeps listening, and a client keeps its connection. At the end:
 *
 * 6. The battle sends `stop` to all roles. A role closes everything that it opened, and exits with code 0.
 *
 * A third role, the watcher, runs on the host of a broker. `configure` begins a capture, and the watcher answers `ready`. `mark` ends the capture,
 * and the watcher answers with the phase `passed`.
 *
 * At any time the battle may send `count`, which servers answer with the phase `count`, and `clock`, which roles answer with the phase `clock`.
 * The battle sends a `beat` every second. Around the measured part it may send `profile`, which roles answer with the phase `profile`. A role ends
 * at the end of its input, or after 5 s without a message. A role that fails writes `error` instead of the awaited event, and exits.
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
 * @param {string} line from the standard input of a role
 * @returns {ControlMessage | null} null for a message of another version
 * @throws {SyntaxError} when the line is not JSON
 */
export function parseMessage(line) {
  const message = JSON.parse(line);
  return Object.hasOwn(messageTypes, message?.type) ? message : null;
}

/**
 * @param {string} line from the standard output of a role; its texts are made safe
 * @returns {RoleEvent | null} null for an event of another version, and for output of a library
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

/** @template {RoleEvent['event']} Name @param {Name} name */
export function named(name) {
  return (
    /** @template {RoleEvent} Event @param {Event} event @returns {event is Extract<Event, {event: Name}>} */
    (event) => event.event === name
  );
}

/** @template {Extract<RoleEvent, {event: 'progress'}>['phase']} Phase @param {Phase} phase */
export function inPhase(phase) {
  return (
    /**
     * @template {RoleEvent} Event
     * @param {Event} event @returns {event is Extract<Event, {event: 'progress', phase: Phase}>}
     */
    (event) => event.event === 'progress' && event.phase === phase
  );
}
