import {brokerKindOfUrl} from '../brokers/index.js';
import {maskPassword} from '../files/given-text.js';
import {didYouMean} from '../options/suggest.js';
import {transportNames} from '../transports/index.js';
import {workloadNames} from '../workloads/index.js';

/** What a server that is there already is named by. */
const serverUrls = /** @type {const} */ ([
  [/^https?:/i, '--url http='],
  [/^wss?:/i, '--url websocket='],
]);

/**
 * What a word that is no command probably means.
 * @param {string} word
 * @param {readonly string[]} commands
 * @returns {string} sentences with a space before them; empty if nothing is near
 */
export function adviceOnWord(word, commands) {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(word)) return adviceOnUrl(word);
  return (
    didYouMean(word, commands) ||
    didYouMean(word, transportNames, '--transport ') ||
    didYouMean(word, workloadNames, '--workload ')
  );
}

/** @param {string} word a URL @returns {string} as `adviceOnWord` */
export function adviceOnUrl(word) {
  const shown = maskPassword(word);
  if (brokerKindOfUrl(word)) return ` perf-battle --broker ${shown} uses that broker.`;
  const [, option] = serverUrls.find(([scheme]) => scheme.test(word)) ?? [];
  return option === undefined ? '' : ` perf-battle ${option}${shown} measures that server.`;
}
