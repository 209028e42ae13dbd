import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';

const execute = promisify(execFile);

/**
 * Programs from PyPI in their own virtual environment.
 * @param {readonly string[]} packages with their versions
 */
export async function makePython(packages) {
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-python-'));
  const path = (/** @type {string} */ program) => join(folder, 'bin', program);
  const remove = () => rm(folder, {recursive: true, force: true});
  try {
    await runOrExplain(
      'python3',
      ['-m', 'venv', folder],
      'python3 with venv: apt-get install python3 python3-venv',
    );
    // What is imported is compiled then: most of what is installed never is.
    const install = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-compile',
      '--disable-pip-version-check',
      ...packages,
    ];
    await runOrExplain(path('python'), install, 'a connection to PyPI');
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    /** The path of one of the programs. */
    path,
    remove,
    /** @param {string} program @param {readonly string[]} parameters @param {{env?: NodeJS.ProcessEnv}} [options] */
    run: (program, parameters, options = {}) => execute(path(program), parameters, options),
  };
}

/** @typedef {Awaited<ReturnType<typeof makePython>>} Python */

/** @param {string} command @param {string[]} parameters @param {string} needed */
async function runOrExplain(command, parameters, needed) {
  try {
    await execute(command, parameters);
  } catch (error) {
    const {
      stdout = '',
      stderr = '',
      message,
    } = /** @type {{stdout?: string, stderr?: string} & Error} */ (error);
    assert.fail(
      `${command} ${parameters.join(' ')} failed. This test needs ${needed}.\n${message}\n${stdout}${stderr}`,
    );
  }
}
