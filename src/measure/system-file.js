import {readFileSync} from 'node:fs';

/**
 * Reads a file in which the system describes itself, such as those of /proc.
 * @param {string} path
 * @returns {string | null} null where the system does not offer it
 */
export function readSystemFile(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
