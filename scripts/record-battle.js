#!/usr/bin/env node
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {recordingOf} from './recording.js';

/**
 * Records a battle in a terminal for the README: docs/battle.svg. It needs tmux, and a host on which nothing else runs. `node
 * scripts/record-battle.js` runs a quick battle of 1 KB; options of a battle may follow.
 */
const words =
  process.argv.length > 2
    ? process.argv.slice(2)
    : ['--quick', '--payload', '1kb', '--transport', 'http,websocket'];
const columns = 80;
const rows = 36;
const intervalMs = 4000;
const maxBattleMs = 300_000;

const root = new URL('../', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'perf-battle-recording-'));
const exitCode = join(folder, 'exit-code');
const command = ['npx perf-battle', ...words].join(' ');
const script = `printf '%s\\n' "$0"; node "$@"; echo $? > ${exitCode}; sleep 600`;
const battle = [fileURLToPath(new URL('bin/perf-battle.js', root)), ...words];

try {
  const size = ['-x', String(columns), '-y', String(rows)];
  tmux('new-session', '-d', ...size, '-c', folder, 'sh', '-c', script, `$ ${command}`, ...battle);
  tmux('set-option', 'status', 'off');
  const screens = await watch();
  const code = readFileSync(exitCode, 'utf8').trim();
  if (code !== '0')
    throw new Error(`The battle ended with exit code ${code}:\n${screens[screens.length - 1].text}`);
  if (screens[screens.length - 1].text.includes('suspect'))
    process.stderr.write('Warning: the recording shows suspect figures. Record it again on an idle host.\n');
  const title = `The terminal during ${command}, ${new Date().toISOString().slice(0, 10)}`;
  writeFileSync(new URL('docs/battle.svg', root), recordingOf(screens, {columns, rows, title}));
} finally {
  tmux('kill-server');
  rmSync(folder, {recursive: true, force: true});
}

/** A server of its own, without anybody's configuration. @param {string[]} parameters */
function tmux(...parameters) {
  return execFileSync('tmux', ['-L', `perf-battle-${process.pid}`, '-f', '/dev/null', ...parameters], {
    encoding: 'utf8',
  });
}

/** The screens until the battle has ended. */
async function watch() {
  const start = performance.now();
  const screens = [];
  for (let isOver = false; !isOver; ) {
    await setTimeout(intervalMs);
    isOver = existsSync(exitCode);
    const atMs = Math.round(performance.now() - start);
    if (atMs > maxBattleMs) throw new Error('The battle did not end.');
    screens.push({atMs, text: tmux('capture-pane', '-e', '-p')});
  }
  return screens;
}
