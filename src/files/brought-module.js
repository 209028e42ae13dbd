import * as module from 'node:module';
import {pathToFileURL} from 'node:url';

/** The entry point that external transports and brokers import. */
const entryName = 'perf-battle/transport';
/** The file that package.json of this perf-battle exports under this name. */
const entryUrl = urlFrom(import.meta.url);

let isProvided = false;

/**
 * Loads a module that a person has named. The module may import `perf-battle/transport`, and gets the entry point of this
 * perf-battle. Node.js alone might find another one or none, because `npx` runs perf-battle outside the project.
 * @param {string} url the URL of the file
 * @returns {Promise<{default?: unknown}>}
 */
export async function importBrought(url) {
  provideEntry(url);
  return await import(url);
}

/** @param {string} url the URL of the module */
function provideEntry(url) {
  if (isProvided || urlFrom(url) === entryUrl) return;
  isProvided = true;
  const {registerHooks} = /** @type {{registerHooks?: (hooks: object) => void}} */ (
    /** @type {unknown} */ (module)
  );
  if (registerHooks) registerHooks({resolve});
  // Before Node.js 22.15 the hooks run in a separate thread.
  else module.register(import.meta.url);
}

/** The file that a module finds under the name of the entry point. @param {string} url the URL of the module */
function urlFrom(url) {
  try {
    return pathToFileURL(module.createRequire(url).resolve(entryName)).href;
  } catch {
    return null;
  }
}

/**
 * The `resolve` hook of Node.js.
 * @public Node.js calls this name
 * @template Context, Resolved
 * @param {string} specifier @param {Context} context
 * @param {(specifier: string, context: Context) => Resolved} next
 */
export function resolve(specifier, context, next) {
  return specifier === entryName
    ? {url: entryUrl, format: 'module', shortCircuit: true}
    : next(specifier, context);
}
