/** @import {Readable} from 'node:stream' */

/** The longest line: a result with some four million samples. */
export const maxLineCharacters = 32 * 1024 ** 2;

/**
 * Reads the lines of a process, however it ends the last one. A line without an end would otherwise fill the memory.
 *
 * @param {Readable} stream its standard output
 * @param {(line: string) => void} onLine
 * @param {(reason: string) => void} onTooLong is called once, with a clause; what follows is not read
 */
export function readLines(stream, onLine, onTooLong) {
  /** Of the line that has not ended. @type {string[]} */
  let parts = [];
  let length = 0;
  stream.setEncoding('utf8');
  const take = (/** @type {string} */ text) => {
    const [first, ...others] = text.split('\n');
    length += first.length;
    if (length > maxLineCharacters) return giveUp();
    parts.push(first);
    for (const next of others) {
      onLine(parts.join(''));
      [parts, length] = [[next], next.length];
    }
  };
  const giveUp = () => {
    parts = [];
    // It goes on to read, so that the process is not stuck before it ends, and forgets what it reads.
    stream.off('data', take).off('end', end).resume();
    onTooLong(`wrote a line of more than ${maxLineCharacters / 1024 ** 2} MiB`);
  };
  const end = () => void (length > 0 && onLine(parts.join('')));
  stream.on('data', take).on('end', end);
}
