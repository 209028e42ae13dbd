import {setTimeout as sleep} from 'node:timers/promises';

/** @import {Program} from './program.js' */

/**
 * Stops a server for 0.8 s and lets it run for 0.3 s, until its client has ended. Whenever a measurement of 2 s begins, a whole stop is within it.
 * @param {Program} server
 * @param {Program} client
 */
export async function stopAgainAndAgain(server, client) {
  while (client.child.exitCode === null) {
    server.child.kill('SIGSTOP');
    await Promise.race([sleep(800), client.ended]);
    server.child.kill('SIGCONT');
    await Promise.race([sleep(300), client.ended]);
  }
}
