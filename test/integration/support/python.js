import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {installedFrom} from './test-cache.js';

const execute = promisify(execFile);
const requirements = new URL('../../../scripts/requirements-for-tests.txt', import.meta.url);

/**
 * The path of Python, or of a program from PyPI, in the virtual environment that scripts/install-for-tests.sh makes. It starts at once; python3 may
 * be a script of a version manager, which takes several times as long.
 * @param {string} program
 */
export function pythonPath(program) {
  return join(installedFrom('python', requirements), 'bin', program);
}

/**
 * The environment in which Python keeps what it compiled, even if the user's does not allow it. Libraries as large as moto take seconds to
 * compile, and every test would compile them again.
 */
export const pythonEnvironment = {...process.env, PYTHONDONTWRITEBYTECODE: ''};

/** Runs a program there. @param {string} program @param {readonly string[]} parameters */
export function runPython(program, parameters) {
  return execute(pythonPath(program), parameters, {env: pythonEnvironment});
}
