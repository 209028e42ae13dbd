import {createInterface} from 'node:readline/promises';

/**
 * Asks a person on the terminal.
 * @param {string} question @param {AbortSignal} signal
 * @returns {Promise<boolean | null>} whether the answer was yes; null: there is no terminal to ask on
 * @throws the signal's reason
 */
export async function ask(question, signal) {
  if (!process.stdin.isTTY) return null;
  const terminal = createInterface({input: process.stdin, output: process.stderr});
  // readline consumes Ctrl-C; pass it on to the process.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await terminal.question(question, {signal}).catch((error) => {
      signal.throwIfAborted();
      throw error;
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
