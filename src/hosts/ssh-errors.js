import {UnavailableError} from '../errors.js';

/** What OpenSSH's client says, and what that means for whoever reads it here. */
const meanings = [
  {
    said: /REMOTE HOST IDENTIFICATION HAS CHANGED|HOST KEY .*CHANGED/i,
    means:
      'its host key is not the one that known_hosts holds. If the host was made anew, remove the old key with ssh-keygen -R; else somebody may stand between',
  },
  {
    said: /Host key verification failed/i,
    means: 'its host key is not known yet. Connect once with ssh and compare the fingerprint',
  },
  {
    said: /Permission denied \(/i,
    means:
      'it took none of the keys that ssh offered. Check the user, the key and the agent with ssh; a passphrase or password cannot be asked for here',
  },
  {said: /Could not resolve hostname/i, means: 'its name is not known'},
  {said: /Connection refused/i, means: 'nothing answers on its ssh port'},
  {said: /No route to host|Network is unreachable/i, means: 'there is no way to it'},
  {said: /timed out|Timeout, server/i, means: 'it does not answer'},
];

/**
 * @param {string} host as the person wrote it
 * @param {string} said by ssh, on its standard error
 * @returns {UnavailableError}
 */
export function explainSsh(host, said) {
  const meaning = meanings.find((candidate) => candidate.said.test(said))?.means;
  const last = lastLine(said);
  const reason = meaning ?? 'the ssh connection ended';
  return new UnavailableError(
    `The host ${host} could not be had: ${reason}.${last ? ` ssh said: ${last}` : ''}`,
    {
      code: 'PB_HOST_UNAVAILABLE',
    },
  );
}

/** @param {string} text @returns {string} the last line that says something */
export function lastLine(text) {
  return text.trim().split(/\r?\n/).at(-1)?.trim() ?? '';
}
