import {accessSync, constants} from 'node:fs';
import {delimiter, join} from 'node:path';

/** The names of Chromium and Chrome, the smallest first. */
const names = ['chromium-headless-shell', 'chromium', 'google-chrome', 'google-chrome-stable'];

/** @returns {string} the path of a browser @throws {Error} when none is installed */
export function findBrowser() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
  if (found) return found;
  throw new Error('No Chromium is installed. Run: bash scripts/install-for-tests.sh');
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
