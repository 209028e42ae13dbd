/**
 * The errors that perf-battle throws on purpose. Each has a `code` that names the kind for programs, and the exit
 * code that a command ends with when nothing else went wrong. Only `bin` and the role scripts print them.
 */

/** Base of all errors that carry a message made for a person. */
export class PerfBattleError extends Error {
  /**
   * @param {string} message the rule, the value received and where it came from, and the next thing to do
   * @param {{code: string, exitCode: number, cause?: unknown}} details
   */
  constructor(message, {code, exitCode, cause}) {
    super(message, cause === undefined ? undefined : {cause});
    this.name = new.target.name;
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** The person asked for something that cannot be done: an unknown option, a malformed value (exit code 2). */
export class UsageError extends PerfBattleError {
  /** @param {string} message @param {{cause?: unknown}} [details] */
  constructor(message, {cause} = {}) {
    super(message, {code: 'PB_USAGE', exitCode: 2, cause});
  }
}

/** Something failed at run time: a cell, a port in use, a full disk (exit code 1). */
export class RunError extends PerfBattleError {
  /** @param {string} message @param {{code?: string, cause?: unknown}} [details] */
  constructor(message, {code = 'PB_RUN', cause} = {}) {
    super(message, {code, exitCode: 1, cause});
  }
}

/** A broker or a host could not be had (exit code 3). */
export class UnavailableError extends PerfBattleError {
  /** @param {string} message @param {{code?: string, cause?: unknown}} [details] */
  constructor(message, {code = 'PB_UNAVAILABLE', cause} = {}) {
    super(message, {code, exitCode: 3, cause});
  }
}

/** A signal ended the work: 130 for SIGINT, 143 for SIGTERM and SIGHUP. */
export class InterruptedError extends PerfBattleError {
  /** @param {NodeJS.Signals} signal */
  constructor(signal) {
    super(`Interrupted by ${signal}.`, {code: 'PB_INTERRUPTED', exitCode: signal === 'SIGINT' ? 130 : 143});
    this.signal = signal;
  }
}
