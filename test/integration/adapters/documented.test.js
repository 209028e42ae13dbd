import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {checkPrograms} from '../../../src/conformance/check-programs.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

/** @param {string} name of a page @returns {Promise<string>} its program in Python */
async function programOn(name) {
  const page = await readFile(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
  return /```python\n(.*?)```/s.exec(page)?.[1] ?? '';
}

/** @param {string} file */
async function keepsTheContract(file) {
  const programs = {name: 'Mine', server: `python3 ${file} server`, client: `python3 ${file} client`};
  const findings = [];
  for await (const finding of checkPrograms({programs, broker: null}, new AbortController().signal))
    findings.push(finding);
  assert.deepEqual(
    findings.filter(({outcome}) => outcome === 'failed'),
    [],
  );
  assert.ok(findings.filter(({outcome}) => outcome === 'held').length >= 10);
}

describe('documented programs', {timeout: 300_000}, () => {
  it(
    'the program on docs/adapter-contract.md keeps the contract',
    inAWorkplace(async (workplace) => {
      const file = workplace.file('mine.py');
      await writeFile(file, await programOn('adapter-contract'));
      await keepsTheContract(file);
    }),
  );

  it(
    'the program on docs/your-program.md is the one that perf-battle writes, which a test of its own checks',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.start('battle', [
        ...['init', 'adapter', 'mine', '--language', 'python'],
      ]).ended;
      assert.equal(code, 0, stderr);
      assert.equal(
        await readFile(workplace.file('mine/adapter.py'), 'utf8'),
        await programOn('your-program'),
      );
    }),
  );
});
