import {UnavailableError} from '../errors.js';

/**
 * Loads modules that need packages which a person may not have installed.
 * @template Module @param {() => Promise<Module>} load imports a module, or more than one
 * @param {string} by the subject of the message: what needs the package
 * @returns {Promise<Module>} @throws {UnavailableError} PB_NOT_INSTALLED, with the command that installs the package
 */
export async function importLibrary(load, by) {
  try {
    return await load();
  } catch (cause) {
    const name = missingPackage(cause);
    if (name === null) throw cause;
    throw libraryMissing(name, by, cause);
  }
}

/** @param {string} name @param {string} by the subject of the message @param {unknown} [cause] */
export function libraryMissing(name, by, cause) {
  return new UnavailableError(
    `${by} needs the npm package ${name}, which is not installed. Install it with: npm install ${name}`,
    {code: 'PB_NOT_INSTALLED', cause},
  );
}

/** The name of a package in the errors of `import` and `require`. @param {unknown} error @returns {string | null} null: it is another error */
function missingPackage(error) {
  const {code, message} = /** @type {NodeJS.ErrnoException} */ (error ?? {});
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return null;
  return (
    /^Cannot find (?:package|module) '((?:@[\w.-]+\/)?[a-z\d][\w.-]*)(?:\/[^']*)?'/i.exec(message)?.[1] ??
    null
  );
}
