import * as module from 'node:module';
import {pathToFileURL} from 'node:url';

/** What transports and brokers of other authors import. */
const entryName = 'perf-battle/transport';
/** What package.json of this perf-battle exports under that name. */
const entryUrl = urlFrom(import.meta.url);

let isProvided = false;

/**
 * Loads a module that a person named. It may import `perf-battle/transport`, and gets that of this very perf-battle, where Node.js would find another
 * one or none: `npx` runs one that no folder of the project has.
 * @param {string} url of its file
 * @returns {Promise<{default?: unknown}>}
 */
export async function importBrought(url) {
  provideEntry(url);
  return await import(url);
}

/** @param {string} url of the module */
function provideEntry(url) {
  if (isProvided || urlFrom(url) === entryUrl) return;
  isProvided = true;
  const {registerHooks} = /** @type {{registerHooks?: (hooks: object) => void}} */ (
    /** @type {unknown} */ (module)
  );
  if (registerHooks) registerHooks({resolve});
  // Before Node.js 22.15 the hooks run in a thread of their own.
  else module.register(import.meta.url);
}

/** What a module finds under that name. @param {string} url of the module */
function urlFrom(url) {
  try {
    return pathToFileURL(module.createRequire(url).resolve(entryName)).href;
  } catch {
    return null;
  }
}

/**
 * A hook of Node.js.
 * @public it calls it by this name
 * @template Context, Resolved
 * @param {string} specifier @param {Context} context
 * @param {(specifier: string, context: Context) => Resolved} next
 */
export function resolve(specifier, context, next) {
  return specifier === entryName
    ? {url: entryUrl, format: 'module', shortCircuit: true}
    : next(specifier, context);
}
