/** @import {ZodError} from 'zod' */

/**
 * The first thing that is wrong with a line, for a warning. A line without any of its fields would otherwise fill the screen.
 * @param {Pick<ZodError, 'issues'>} error
 * @returns {string} such as: owner: Invalid input: expected object, received null (and 2 more)
 */
export function firstMistake({issues: [{path, message}, ...others]}) {
  const where = path.length > 0 ? `${path.join('.')}: ` : '';
  return `${where}${message}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
}
