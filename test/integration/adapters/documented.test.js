import assert from 'node:assert/strict';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {it} from 'node:test';
import {checkPrograms} from '../../../src/conformance/check-programs.js';

const page = new URL('../../../docs/your-program.md', import.meta.url);

it('the program on docs/your-program.md keeps the contract', {timeout: 300_000}, async () => {
  const [, program] = /```python\n(.*?)```/s.exec(await readFile(page, 'utf8')) ?? [];
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-documented-'));
  try {
    const file = join(folder, 'mine.py');
    await writeFile(file, program);
    const programs = {name: 'Mine', server: `python3 ${file} server`, client: `python3 ${file} client`};
    const findings = [];
    for await (const finding of checkPrograms({programs, broker: null}, new AbortController().signal))
      findings.push(finding);
    assert.deepEqual(
      findings.filter(({outcome}) => outcome === 'failed'),
      [],
    );
    assert.ok(findings.filter(({outcome}) => outcome === 'held').length >= 10);
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
});
