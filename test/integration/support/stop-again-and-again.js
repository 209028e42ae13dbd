import {setTimeout as sleep} from 'node:timers/promises';

/** @import {Program} from './program.js' */

/** A host that is busy with other work needs longer to serve what was sent again meanwhile. */
const firstRunMs = 300;
const longestRunMs = 500;

/**
 * Stops a server for 0.8 s and lets it run for 0.3 s, later for 0.5 s, until its client has ended. Whenever a measurement of 2 s begins, most
 * of a stop is within it.
 * @param {Program} server
 * @param {Program} client
 */
export async function stopAgainAndAgain(server, client) {
  const pid = server.scriptPid();
  let runMs = firstRunMs;
  while (client.child.exitCode === null && client.child.signalCode === null) {
    process.kill(pid, 'SIGSTOP');
    await Promise.race([sleep(800), client.ended]);
    process.kill(pid, 'SIGCONT');
    await Promise.race([sleep(runMs), client.ended]);
    runMs = Math.min(longestRunMs, runMs * 1.2);
  }
}
