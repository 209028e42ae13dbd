import {setTimeout as sleep} from 'node:timers/promises';

/** @import {Program} from './program.js' */

/**
 * Stops a server for 0.8 s and lets it run for 0.3 s, until its client has ended. Whenever a measurement of 2 s begins, a whole stop is within it.
 * @param {Program} server
 * @param {Program} client
 */
export async function stopAgainAndAgain(server, client) {
  const pid = server.scriptPid();
  while (client.child.exitCode === null) {
    process.kill(pid, 'SIGSTOP');
    await Promise.race([sleep(800), client.ended]);
    process.kill(pid, 'SIGCONT');
    await Promise.race([sleep(300), client.ended]);
  }
}
