import {setTimeout as sleep} from 'node:timers/promises';

/** @import {Program} from './program.js' */

/**
 * Stops a server for 1.1 s and lets it run for 0.7 s, until its client has ended. Whenever a measurement of 3 s begins, a whole stop is within it.
 * @param {Program} server
 * @param {Program} client
 */
export async function stopAgainAndAgain(server, client) {
  while (client.child.exitCode === null) {
    server.child.kill('SIGSTOP');
    await Promise.race([sleep(1100), client.ended]);
    server.child.kill('SIGCONT');
    await Promise.race([sleep(700), client.ended]);
  }
}
