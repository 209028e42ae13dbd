#!/usr/bin/env node
/**
 * The step that measures: runs the battle of $ARGUMENTS in $WORKING_DIRECTORY. A battle that fails does not end the job here: gate.js says what
 * became of it. The output `folder` has battle.json and exit-code.
 */
import {mkdtempSync, openSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {runPerfBattle} from './perf-battle.js';
import {splitWords} from './words.js';
import {measuredCommit, runScript, setOutput, variable} from './workflow.js';

await runScript(async () => {
  const words = splitWords(variable('ARGUMENTS'));
  if (words.length === 0) throw new Error('The input arguments is empty. It has the options of the battle.');
  const folder = mkdtempSync(join(variable('RUNNER_TEMP'), 'perf-battle-'));
  const results = join(folder, 'battle.json');
  const {code} = await runPerfBattle(words, {
    cwd: resolve(variable('GITHUB_WORKSPACE'), variable('WORKING_DIRECTORY')),
    output: openSync(results, 'w'),
    environment: {
      PB_LABEL: measuredCommit(),
      PB_RESULTS: join(folder, 'results.md'),
      ...process.env,
      PB_JSON: 'on',
    },
  });
  writeFileSync(join(folder, 'exit-code'), String(code));
  setOutput('folder', folder);
  setOutput('results', results);
  return 0;
});
