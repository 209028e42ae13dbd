import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {planHosts} from '../../../src/brokers/rabbitmq/cluster.js';

describe('the plan of a private broker', () => {
  /** @type {{title: string, hostnames: string[], size: number, nodes: number[][]}[]} */
  const table = [
    {title: 'one node', hostnames: ['127.0.0.1'], size: 1, nodes: [[1]]},
    {title: 'three nodes on one host', hostnames: ['10.0.0.3'], size: 3, nodes: [[1, 2, 3]]},
    {title: 'a node a host', hostnames: ['10.0.0.3', '10.0.0.4'], size: 2, nodes: [[1], [2]]},
    {
      title: 'nodes turn by turn',
      hostnames: ['10.0.0.3', '10.0.0.4', '10.0.0.5'],
      size: 5,
      nodes: [[1, 4], [2, 5], [3]],
    },
  ];
  for (const {title, hostnames, size, nodes} of table) {
    it(`has ${title}`, () => {
      const hosts = planHosts(hostnames, {nodes: size, memoryBytes: undefined});
      const isSpread = hostnames.length > 1;
      assert.deepEqual(
        hosts.map(({hostname}) => hostname),
        hostnames,
      );
      hosts.forEach((host, index) => {
        const address = isSpread ? hostnames[index] : '127.0.0.1';
        assert.equal(host.address, address);
        assert.equal(host.size, size);
        assert.deepEqual(
          host.nodes.map((name) => /^perf-battle-[\da-f]{8}-(\d+)@(.+)$/.exec(name)?.slice(1)),
          nodes[index].map((number) => [String(number), address]),
        );
        assert.equal(host.first, hosts[0].nodes[0]);
        assert.equal(host.portMapperPort === null, !isSpread);
      });
    });
  }

  it('has the same secrets and the same port of the port mapper on all hosts, and others each time', () => {
    const secretsOf = (/** @type {ReturnType<typeof planHosts>[number]} */ host) => [
      host.password,
      host.cookie,
      host.portMapperPort,
    ];
    const [one, other] = planHosts(['10.0.0.3', '10.0.0.4'], {nodes: 2, memoryBytes: undefined});
    const [again] = planHosts(['10.0.0.3', '10.0.0.4'], {nodes: 2, memoryBytes: undefined});
    assert.deepEqual(secretsOf(one), secretsOf(other));
    assert.notEqual(one.password, again.password);
    assert.notEqual(one.cookie, again.cookie);
    assert.notEqual(one.first, again.first);
    assert.ok(one.password.length >= 24 && one.cookie.length >= 24);
  });
});
