import assert from 'node:assert/strict';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {registry} from '../support/registry.js';

const short = ['--rounds', '1', '--samples', '60', '--warmup', '20', '--payload', '1kb'];
/** Each runtime has a hundred MB: all runs of the tests share them. */
const kept = {...registry, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME || join(homedir(), '.cache')};

describe('--runtime', {concurrency: 2, timeout: 900_000}, () => {
  it(
    'measures the same pairs in several runtimes, each against raw TCP in its own',
    inAWorkplace(async (workplace) => {
      const {code, stdout, stderr} = await workplace.battle(
        [...short, '--transport', 'websocket', '--runtime', 'node,bun,deno,bun/node', '--json'],
        kept,
      );
      assert.equal(code, 0, stderr);
      const {cells} = JSON.parse(stdout);
      const named = (/** @type {any} */ {transport, variant: {runtime = 'node'}}) =>
        `${transport} ${runtime}`;
      assert.deepEqual(cells.map(named).toSorted(), [
        ...['tcp bun', 'tcp bun/node', 'tcp deno', 'tcp node'],
        ...['websocket bun', 'websocket bun/node', 'websocket deno', 'websocket node'],
      ]);
      for (const {transport, variant, labels, versions, counts, floor, interference, cpu} of cells) {
        const {runtime = 'node'} = variant;
        assert.equal(counts.verified, 60, `${transport} ${runtime}`);
        assert.match(versions.bun, /^\d+\.\d+\.\d+/);
        assert.match(versions.deno, /^\d+\.\d+\.\d+/);
        const own = cells.find(
          (/** @type {any} */ one) => one.transport === 'tcp' && one.variant.runtime === variant.runtime,
        );
        assert.equal(floor.meanMs, own.rtt.meanMs, `${transport} ${runtime}`);
        // Only Node.js reports its collections.
        assert.equal(interference.client.gcMs === null, runtime !== 'node');
        assert.ok(cpu.client.userMs > 0);
        if (runtime === 'bun/node') assert.ok(labels.settings.includes('Bun client, Node server'));
      }
    }),
  );

  for (const runtime of ['bun', 'deno'])
    it(
      `runs the transports whose libraries are made for Node.js, in ${runtime}`,
      inAWorkplace(async (workplace) => {
        const transports = 'http,http2,grpc,udp,posix-mq';
        const clients = ['--http-client', 'undici,node,fetch'];
        const {code, stdout, stderr} = await workplace.battle(
          [...short, '--transport', transports, ...clients, '--runtime', runtime, '--json'],
          kept,
        );
        assert.equal(code, 0, stderr);
        const {cells} = JSON.parse(stdout);
        assert.equal(cells.length, 11);
        for (const {outcome, counts} of cells) {
          assert.equal(outcome, 'completed');
          assert.equal(counts.verified, 60);
        }
      }),
    );

  it(
    'is a side of ab, with another version of Node.js for the servers alone',
    inAWorkplace(async (workplace) => {
      const {code, stdout, stderr} = await workplace.battle(
        ['ab', ...short, '--transport', 'http', '--http-server', 'node', '--b', '--runtime node/node@22'],
        kept,
      );
      assert.equal(code, 0, stderr);
      assert.match(stdout, /b: Node client, Node 22 server/);
      const both = await workplace.battle(['ab', '--transport', 'http', '--b', '--runtime bun node@22']);
      assert.equal(both.code, 2);
      assert.match(both.stderr, /--runtime and a program of Node\.js/);
    }),
  );

  it(
    'refuses by name what a runtime lacks, and what npm does not have',
    inAWorkplace(async (workplace) => {
      const lacking = await workplace.battle([...short, '--transport', 'shared-memory', '--runtime', 'deno']);
      assert.equal(lacking.code, 2);
      assert.match(lacking.stderr, /Shared memory does not run in Deno: .*Leave deno out of --runtime/);
      const missing = await workplace.battle(
        [...short, '--transport', 'tcp', '--runtime', 'bun@0.0.99'],
        kept,
      );
      assert.equal(missing.code, 3, missing.stderr);
      assert.match(missing.stderr, /bun@0\.0\.99/);
    }),
  );
});
