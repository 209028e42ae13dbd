import {UnavailableError} from '../errors.js';

/** Explanations of the errors that OpenSSH's client prints. The first match applies. isLasting: every further attempt fails in the same way. */
const explanations = [
  {
    isLasting: true,
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED|HOST KEY .*CHANGED/i,
    reason:
      'its host key differs from the one in known_hosts. If the host was reinstalled, remove the old key with ssh-keygen -R; otherwise the connection may be intercepted',
  },
  {
    isLasting: true,
    pattern: /Host key verification failed/i,
    reason: 'its host key is unknown. Connect once with ssh and compare the fingerprint',
  },
  {
    isLasting: true,
    pattern: /Permission denied \(/i,
    reason:
      'it refused every key that ssh offered. Check the user, the key and the agent with ssh; perf-battle cannot ask for a passphrase or password',
  },
  {
    isLasting: true,
    pattern: /Too many authentication failures/i,
    reason: 'it refused the keys that ssh offered. The agent may have too many; name one with IdentityFile',
  },
  {
    isLasting: true,
    pattern:
      /Bad configuration option|bad configuration options|Bad owner or permissions|Can't open user config/i,
    reason: 'ssh does not accept its configuration',
  },
  {
    isLasting: true,
    pattern: /no matching [a-z ]+ found/i,
    reason: 'ssh and the host have no algorithm in common',
  },
  {isLasting: true, pattern: /Could not resolve hostname/i, reason: 'its name cannot be resolved'},
  {pattern: /Connection refused/i, reason: 'its ssh port refused the connection'},
  {pattern: /No route to host|Network is unreachable/i, reason: 'there is no network route to it'},
  {pattern: /timed out|Timeout, server/i, reason: 'it does not answer'},
];

/** @param {string} host as the user wrote it @param {string} stderr of ssh */
export function explainSsh(host, stderr) {
  const reason = explanations.find(({pattern}) => pattern.test(stderr))?.reason ?? 'the ssh connection ended';
  const last = lastLine(stderr);
  return new UnavailableError(
    `The host ${host} is not available: ${reason}.${last ? ` ssh printed: ${last}` : ''}`,
    {code: 'PB_HOST_UNAVAILABLE'},
  );
}

/** Returns whether further attempts fail in the same way, until somebody changes the configuration. @param {string} stderr of ssh */
export function isLasting(stderr) {
  return explanations.find(({pattern}) => pattern.test(stderr))?.isLasting ?? false;
}

/** @param {string} text @returns {string} the last line that is not empty */
export function lastLine(text) {
  return text.trim().split(/\r?\n/).at(-1)?.trim() ?? '';
}
