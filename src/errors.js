import {safeText} from './safe-text.js';

/**
 * The errors that perf-battle throws on purpose. Each error has a `code` for programs, and the exit code of a command that has no other failure.
 * Only `bin` and the role scripts print errors.
 */

/** Exit codes: 1 is a failure at run time, 2 is wrong usage, 3 is a broker or a host that was not available. */
export const errorCodes = /** @type {const} */ ({
  PB_USAGE: {exitCode: 2, meaning: 'an unknown option, a malformed value, or something that cannot be done'},

  PB_RUN: {exitCode: 1, meaning: 'a failure at run time that has no code of its own'},
  PB_UNEXPECTED: {
    exitCode: 1,
    meaning: 'an error that perf-battle did not foresee: a defect of its own, or of a library',
  },
  PB_TRIAL_TIMEOUT: {exitCode: 1, meaning: 'a trial took longer than its settings allow'},
  PB_ROLE_DIED: {exitCode: 1, meaning: 'the process of a client or a server ended before its trial was over'},
  PB_BROKER_DIED: {exitCode: 1, meaning: 'a private broker ended during a trial'},
  PB_CONTROL_LOST: {exitCode: 1, meaning: 'a role received nothing on its control channel for 5 s'},
  PB_NO_SERVER: {exitCode: 1, meaning: 'no server could be reached within --connect-timeout'},
  PB_NO_GREETING: {exitCode: 1, meaning: 'a server accepted a connection and did not answer'},
  PB_NO_CONNECTION: {exitCode: 1, meaning: 'a connection failed for a reason that persists'},
  PB_CONNECTION_LOST: {exitCode: 1, meaning: 'a connection ended while it was in use'},
  PB_CLOSED: {exitCode: 1, meaning: 'a connection was closed while replies were outstanding'},
  PB_NO_REPLY: {exitCode: 1, meaning: 'no request had a reply within --timeout'},
  PB_LOST: {exitCode: 1, meaning: 'some requests had no reply within --timeout'},
  PB_STALLED: {exitCode: 1, meaning: 'a receiver stopped taking messages'},
  PB_WRONG_REPLY: {exitCode: 1, meaning: 'a reply had wrong content'},
  PB_FRAME_TOO_LONG: {exitCode: 1, meaning: 'a frame or a reply has more bytes than a payload may have'},
  PB_HTTP_STATUS: {exitCode: 1, meaning: 'an HTTP server answered with a status other than success'},
  PB_GRPC_STATUS: {exitCode: 1, meaning: 'a gRPC server answered with a status other than OK'},
  PB_TOO_MANY_REQUESTS: {
    exitCode: 1,
    meaning: '--url-requests allows no more requests',
  },
  PB_BROKER_BLOCKED: {exitCode: 1, meaning: 'a broker takes no messages: it has too little memory or disk'},
  PB_NACK: {exitCode: 1, meaning: 'a broker refused a message'},
  PB_RETURNED: {exitCode: 1, meaning: 'a broker could not route a message to a queue'},
  PB_TOPOLOGY: {exitCode: 1, meaning: 'a queue or an exchange exists on the broker with other properties'},
  PB_PORT_IN_USE: {exitCode: 1, meaning: 'another program listens on the port'},
  PB_LISTEN: {exitCode: 1, meaning: 'a server could not listen on its address'},
  PB_NEGATIVE_LATENCY: {
    exitCode: 1,
    meaning: 'messages were received before they were sent: the clocks do not agree',
  },
  PB_NO_RATE: {
    exitCode: 1,
    meaning: 'too few messages were received to give a rate, or no rate met the p99 bound',
  },
  PB_ADAPTER: {
    exitCode: 1,
    meaning:
      'a program of --external reported an error, or wrote something that its contract does not allow (perf-battle help adapter-contract)',
  },
  PB_BAD_TRANSPORT: {
    exitCode: 1,
    meaning:
      'a transport that is not part of perf-battle lacks something that its contract requires (perf-battle help your-own-transport)',
  },
  PB_NO_DISK: {
    exitCode: 1,
    meaning: 'a private broker cannot have a disk of its own',
  },
  PB_NO_LIBC: {
    exitCode: 1,
    meaning: 'a transport within one host needs Linux and what its kernel offers, and one is missing',
  },
  PB_NOT_SHIPPABLE: {exitCode: 1, meaning: 'this installation cannot be copied to another host'},

  PB_UNAVAILABLE: {exitCode: 3, meaning: 'a broker or a host was not available'},
  PB_NOT_INSTALLED: {
    exitCode: 3,
    meaning: 'an npm package that the transport or the command needs is not installed',
  },
  PB_BROKER_UNAVAILABLE: {exitCode: 3, meaning: 'no broker was available'},
  PB_HOST_UNAVAILABLE: {exitCode: 3, meaning: 'a host was not available'},
  PB_HOST_LOST: {exitCode: 3, meaning: 'a host stopped answering during a trial'},
  PB_AWS: {exitCode: 3, meaning: 'an AWS service refused a request or did not answer'},
  PB_NO_CREDENTIALS: {exitCode: 3, meaning: 'no AWS credentials were found'},

  PB_INTERRUPTED: {
    exitCode: 130,
    meaning: 'a signal ended the work; the exit code is 143 for SIGTERM and SIGHUP',
  },
});

/** @typedef {keyof typeof errorCodes} ErrorCode */

/**
 * The error codes that have the given exit code.
 * @template {number} ExitCode
 * @typedef {{[Code in ErrorCode]: (typeof errorCodes)[Code]['exitCode'] extends ExitCode ? Code : never}[ErrorCode]} CodeOf
 */

/** The base class of all errors whose message is written for the user. */
export class PerfBattleError extends Error {
  /**
   * @param {string} message states the rule, the value received, its origin, and the next thing to do
   * @param {ErrorCode} code @param {{cause?: unknown}} [details]
   */
  constructor(message, code, {cause} = {}) {
    // The message may quote a peer or a program.
    super(safeText(message), cause === undefined ? undefined : {cause});
    this.name = new.target.name;
    this.code = code;
    /** @type {number} */
    this.exitCode = errorCodes[code].exitCode;
  }
}

/**
 * Returns the parts of an error that records and events keep. An error without a code of perf-battle becomes PB_UNEXPECTED.
 * @param {unknown} error @returns {Failure}
 *
 * @typedef {{code: ErrorCode, message: string, exitCode: number}} Failure
 */
export function failureOf(error) {
  const {message} = /** @type {Error} */ (error);
  const {code, exitCode} =
    error instanceof PerfBattleError ? error : {code: /** @type {const} */ ('PB_UNEXPECTED'), exitCode: 1};
  return {code, message: safeText(message), exitCode};
}

/** The line that precedes the end of a broker's log in a message. */
export const headOfLog = 'The last lines of its log:';

/** Returns the first line of a message, without `headOfLog`. @param {string} message */
export function firstLineOf(message) {
  return message.split('\n')[0].replace(headOfLog, '').trim();
}

/** Returns the lines of the broker's log in a message, `headOfLog` first. @param {string} message @returns {string[]} empty if there is no log */
export function logIn(message) {
  const [, log] = message.split(`${headOfLog}\n`);
  return log ? [headOfLog, ...log.split('\n')] : [];
}

/** The user asked for something that cannot be done, such as an unknown option or a malformed value (exit code 2). */
export class UsageError extends PerfBattleError {
  /** @param {string} message @param {{cause?: unknown}} [details] */
  constructor(message, details) {
    super(message, 'PB_USAGE', details);
  }
}

/** Something failed at run time, such as a cell, or a write to a full disk (exit code 1). */
export class RunError extends PerfBattleError {
  /** @param {string} message @param {{code?: CodeOf<1>, cause?: unknown}} [details] */
  constructor(message, {code = 'PB_RUN', cause} = {}) {
    super(message, code, {cause});
  }
}

/** A broker or a host was not available (exit code 3). */
export class UnavailableError extends PerfBattleError {
  /** @param {string} message @param {{code?: CodeOf<3>, cause?: unknown}} [details] */
  constructor(message, {code = 'PB_UNAVAILABLE', cause} = {}) {
    super(message, code, {cause});
  }
}

/** A signal ended the work: 130 for SIGINT, 143 for SIGTERM and SIGHUP. */
export class InterruptedError extends PerfBattleError {
  /** @param {NodeJS.Signals} signal @param {string} [advice] what is stored, and how to continue */
  constructor(signal, advice) {
    super([`Interrupted by ${signal}.`, advice].filter(Boolean).join(' '), 'PB_INTERRUPTED');
    if (signal !== 'SIGINT') this.exitCode = 143;
    this.signal = signal;
    this.advice = advice;
  }
}
