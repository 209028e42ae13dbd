import {formatBytes} from '../payload/format-bytes.js';

/** @import {CompletedRecord} from '../results/record-schema.js' */

/**
 * Says of which cells the link between the hosts is the limit. Their figures are right, and say nothing of the transport.
 * @param {readonly CompletedRecord[]} completed
 * @returns {string[]} lines
 */
export function linkNote(completed) {
  const links = completed.flatMap(({link, payloadBytes}) => (link?.isLimit ? {...link, payloadBytes} : []));
  if (links.length === 0) return [];
  const megabits = (Math.max(...links.map(({bytesPerSecond}) => bytesPerSecond)) * 8) / 1e6;
  const least = Math.min(1, ...links.map(({usedShare}) => usedShare));
  const sizes = [...new Set(links.map(({payloadBytes}) => payloadBytes))].sort((one, other) => one - other);
  const cells = links.length === 1 ? '1 cell' : `${links.length} cells`;
  return [
    `Link-limited: the link carries ${megabits.toPrecision(3)} Mbit/s, and ${cells} (${sizes.map(formatBytes).join(', ')}) used at least ${Math.floor(least * 100)} % of it.`,
    links.length === 1
      ? 'Its transport waits for the link: the figure says little of the transport.'
      : 'These transports wait for the link: differences between them say little.',
  ];
}
