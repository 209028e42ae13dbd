import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdir, writeFile} from 'node:fs/promises';
import {before, describe, it} from 'node:test';
import {promisify} from 'node:util';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {Workplace} from '../support/workplace.js';

const execute = promisify(execFile);

/** What completes each line, in every shell. @type {readonly [string, string][]} */
const cases = [
  ['perf-battle ta', 'table'],
  ['perf-battle --transport grp', 'grpc'],
  ['perf-battle --transport http,webs', 'http,websocket'],
  ['perf-battle --delivery-mo', '--delivery-mode'],
  ['perf-battle compare --fail-if', '--fail-if-slower'],
  ['perf-battle ec2 st', 'status'],
  ['perf-battle help reading', 'reading-results'],
];

/** @type {Record<string, string>} */
const scripts = {};
before(async () => {
  const workplace = await Workplace.make();
  try {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const {code, stdout, stderr} = await workplace.battle(['completion', shell]);
      assert.equal(code, 0, stderr);
      scripts[shell] = stdout;
    }
  } finally {
    await workplace.clear();
  }
});

describe('completion', {concurrency: 2}, () => {
  it('in bash', async () => {
    for (const [line, expected] of [
      ...cases,
      /** @type {const} */ (['perf-battle --transport = grp', 'grpc']),
    ]) {
      const words = line.split(' ');
      const asked = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _perf_battle; echo "\${COMPREPLY[@]}"`;
      const {stdout, stderr} = await execute('bash', ['--norc', '-c', `${scripts.bash}\n${asked}`]);
      assert.deepEqual([line, stdout.trim(), stderr], [line, expected, '']);
    }
  });

  it(
    'in fish',
    inAWorkplace(async (workplace) => {
      // It is too long for a command line.
      await writeFile(workplace.file('completion.fish'), scripts.fish);
      for (const [line, expected] of cases) {
        const asked = `source ${workplace.file('completion.fish')}; complete -C '${line}'`;
        const env = {PATH: process.env.PATH, HOME: workplace.path, TERM: 'dumb'};
        const {stdout, stderr} = await execute('fish', ['--no-config', '-c', asked], {env});
        const [first] = stdout.split('\n')[0].split('\t');
        assert.deepEqual([line, first, stderr], [line, expected, '']);
      }
    }),
  );

  it(
    'in zsh',
    inAWorkplace(async (workplace) => {
      await mkdir(workplace.file('bin'));
      await writeFile(workplace.file('completion.zsh'), scripts.zsh);
      for (const [line, expected] of cases) {
        // A terminal in which the line is typed, and a tab. Ctrl-X prints what it has become, with a suffix that the next key may remove.
        const asked = `
          zmodload zsh/zpty
          zpty shell zsh -f -i
          zpty -w shell "PS1=; autoload -Uz compinit; compinit -u -D; source ${workplace.file('completion.zsh')}"
          zpty -w shell 'show() { print -r -- "<line>$BUFFER</line>"; exit }; zle -N show; bindkey "^X" show; print ready'
          zpty -r shell text '*ready*ready*'
          zpty -n -w shell $'${line}\\t\\x18'
          zpty -r shell text '*</line>*'
          print -r -- "$text"
          zpty -d shell`;
        const env = {PATH: process.env.PATH, HOME: workplace.path, TERM: 'dumb'};
        const {stdout} = await execute('zsh', ['-f', '-c', asked], {env, timeout: 60_000});
        const completed = /<line>(.*?)[,= ]*<\/line>/s.exec(stdout)?.[1];
        assert.equal(completed, line.replace(/\S+$/, expected), stdout);
      }
    }),
  );

  it(
    'of another shell is refused',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle(['completion', 'tcsh']);
      assert.equal(code, 2);
      assert.match(stderr, /completion must be followed by one of bash, zsh, fish; it was given "tcsh"/);
    }),
  );
});
