import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {resolveOptions} from '../../../src/options/resolve.js';
import {allOptions, optionsOfTransport} from '../../../src/settings/index.js';
import {transportNamed} from '../../../src/transports/index.js';
import {sharedBroker} from '../support/broker.js';
import {freePort} from '../support/ports.js';
import {executeSteps, makeImage} from './image.js';
import {
  folder,
  isKustomization,
  kubernetesVersions,
  Manifests,
  readYamlFiles,
  selects,
  validate,
} from './manifests.js';

/** @import {Checked} from './manifests.js' */

const transports = ['tcp', 'http', 'websocket', 'rabbitmq'];
const overlays = [...transports, 'broker'];
const roles = /** @type {const} */ (['server', 'client']);
const mergeScript = fileURLToPath(new URL('../../../infra/kubernetes/merge-results.js', import.meta.url));

/** The user creates it (docs/kubernetes.md), for RabbitMQ only. */
const secret = {name: 'perf-battle-broker', keys: ['PB_RABBITMQ_USERNAME', 'PB_RABBITMQ_PASSWORD']};

/** Changes with which the manifests would be refused. */
const changes = [
  {
    what: 'a field that there is not',
    path: 'client/job.yaml',
    from: 'backoffLimit:',
    to: 'backofLimit:',
    problem: /backofLimit/,
  },
  {
    what: 'a number where text must be',
    path: 'tcp/transport.yaml',
    from: '"3000"',
    to: '3000',
    problem: /3000 is not of type 'string'/,
  },
  {
    what: 'a workload without a selector',
    path: 'server/deployment.yaml',
    from: '  selector:\n    matchLabels: *labels\n',
    to: '',
    problem: /'selector' is a required property/,
  },
  {
    what: 'a kind in a group that it is not of',
    path: 'broker/statefulset.yaml',
    from: 'apps/v1',
    to: 'batch/v1',
    problem: /find schema for kind StatefulSet/,
  },
];

describe('infra/kubernetes', {timeout: 900_000}, () => {
  /** @type {Record<string, string>} */
  let texts;
  /** @type {Record<string, Checked[]>} */
  let checked;
  /** @type {Checked[][]} */
  let checkedChanges;
  /** @type {Manifests} */
  let manifests;

  before(async () => {
    texts = await readYamlFiles();
    const changed = changes.map(({path, from, to}) => {
      assert.ok(texts[path].includes(from));
      return texts[path].replace(from, to);
    });
    // All at once, because the validator takes long to load.
    const lists = await validate([...Object.values(texts), ...changed]);
    checkedChanges = lists.slice(-changed.length);
    checked = Object.fromEntries(Object.keys(texts).map((path, index) => [path, lists[index]]));
    const files = Object.entries(checked).map(([path, list]) => [path, list.map(({manifest}) => manifest)]);
    manifests = new Manifests(Object.fromEntries(files));
  });

  it("matches Kubernetes' schemas, field by field", () => {
    const lists = Object.entries(checked).filter(([path]) => !isKustomization(path));
    assert.equal(lists.length, 11);
    for (const [path, list] of lists) {
      assert.ok(list.length > 0, path);
      for (const {problems, checked: versions} of list)
        assert.deepEqual({problems, versions}, {problems: [], versions: kubernetesVersions}, path);
    }
    const kinds = new Set(lists.flatMap(([, list]) => list.map(({manifest}) => manifest.kind)));
    assert.deepEqual([...kinds].sort(), ['ConfigMap', 'Deployment', 'Job', 'Service', 'StatefulSet']);
  });

  for (const [index, {what, problem}] of changes.entries()) {
    it(`would be refused with ${what}`, () => {
      assert.match(checkedChanges[index].flatMap(({problems}) => problems).join('\n'), problem);
    });
  }

  it('would be refused with a duplicate key', async () => {
    await assert.rejects(validate(['kind: Service\nkind: Job\n']), /duplicate key kind, at line 1/);
  });

  it('is assembled by kustomizations that change only the name of the image', () => {
    const applied = new Set(overlays.flatMap((overlay) => manifests.filesOf(overlay)));
    for (const [path, [manifest]] of Object.entries(manifests.files)) {
      if (!isKustomization(path)) {
        assert.ok(applied.has(path), `${path} is not applied by any`);
        continue;
      }
      const {apiVersion, kind, resources = [], components = [], images, ...more} = manifest;
      assert.deepEqual(more, {}, path);
      assert.equal(images !== undefined, kind === 'Component', path);
      for (const other of [...resources, ...components])
        assert.ok(existsSync(join(folder, path, '..', other)), `${path} names ${other}`);
    }
    for (const overlay of overlays) {
      assert.deepEqual(manifests.files[join(overlay, 'kustomization.yaml')][0].components, ['../site']);
    }
    assert.equal(manifests.files['site/kustomization.yaml'][0].images[0].name, 'perf-battle');
  });

  it('selects the intended pods', () => {
    for (const overlay of overlays) {
      const workloads = manifests.workloadsOf(overlay);
      for (const {kind, spec} of workloads)
        if (kind !== 'Job') assert.deepEqual(spec.selector.matchLabels, spec.template.metadata.labels);
      for (const {metadata, spec} of manifests.ofKind(overlay, 'Service')) {
        const labelSelector = {matchLabels: spec.selector};
        const selected = workloads.filter((one) => selects(labelSelector, one.spec.template.metadata.labels));
        assert.deepEqual(
          selected.map((one) => one.metadata.name),
          [metadata.name],
        );
        const [{ports}] = selected[0].spec.template.spec.containers;
        for (const {targetPort, port} of spec.ports)
          assert.equal(ports.find((/** @type {any} */ {name}) => name === targetPort)?.containerPort, port);
      }
    }
    const [{spec}] = manifests.ofKind('broker', 'StatefulSet');
    assert.equal(spec.serviceName, manifests.ofKind('broker', 'Service')[0].metadata.name);
  });

  it('keeps clients off the nodes of server and broker, and the server off the broker’s', () => {
    const templateOf = (/** @type {string} */ overlay, /** @type {string} */ kind) =>
      manifests.ofKind(overlay, kind)[0].spec.template;
    const awayFrom = (/** @type {any} */ {spec}) =>
      spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0];
    const broker = templateOf('broker', 'StatefulSet').metadata.labels;
    for (const transport of transports) {
      const [client, server] = [templateOf(transport, 'Job'), templateOf(transport, 'Deployment')];
      const {topologyKey, labelSelector} = awayFrom(client);
      assert.equal(topologyKey, 'kubernetes.io/hostname');
      assert.ok(selects(labelSelector, server.metadata.labels));
      assert.ok(selects(labelSelector, broker));
      assert.ok(!selects(labelSelector, client.metadata.labels));
    }
    assert.ok(selects(awayFrom(templateOf('rabbitmq', 'Deployment')).labelSelector, broker));
  });

  it('gives every pod whole CPUs and no privileges', () => {
    for (const {spec} of overlays.flatMap((overlay) => manifests.workloadsOf(overlay))) {
      const {containers, securityContext, ...pod} = spec.template.spec;
      assert.equal(pod.automountServiceAccountToken, false);
      assert.equal(pod.enableServiceLinks, false);
      assert.equal(securityContext.runAsNonRoot, true);
      assert.ok(securityContext.runAsUser > 0);
      assert.equal(securityContext.seccompProfile.type, 'RuntimeDefault');
      for (const {resources, securityContext: own} of containers) {
        assert.deepEqual(resources.requests, resources.limits);
        assert.match(resources.limits.cpu, /^[1-9]\d*$/);
        assert.equal(own.allowPrivilegeEscalation, false);
        assert.deepEqual(own.capabilities, {drop: ['ALL']});
      }
    }
  });

  it('runs each client once, and all of them at once', () => {
    for (const {spec} of transports.flatMap((transport) => manifests.ofKind(transport, 'Job'))) {
      assert.equal(spec.parallelism, spec.completions);
      assert.equal(spec.backoffLimit, 0);
      assert.equal(spec.template.spec.restartPolicy, 'Never');
    }
  });

  /** @param {string} transport @param {'server' | 'client'} role @param {string[]} [values] of the Secret */
  function runOf(transport, role, values = ['a user', 'a password']) {
    const data = Object.fromEntries(secret.keys.map((key, index) => [key, values[index]]));
    return manifests.roleOf(transport, role, {
      name: secret.name,
      data: transport === 'rabbitmq' ? data : {},
    });
  }

  for (const transport of transports) {
    it(`sets only options of ${transport}, to allowed values, and runs its halves`, () => {
      const known = new Set(allOptions.map(({environmentName}) => environmentName));
      const mine = optionsOfTransport(transportNamed(transport));
      for (const role of roles) {
        const {parameters, environment} = runOf(transport, role);
        for (const name of Object.keys(environment)) assert.ok(known.has(name), name);
        const {values, warnings} = resolveOptions(allOptions, {scope: 'script', mine, environment});
        assert.deepEqual({output: values.output, warnings}, {output: 'ndjson', warnings: []});
        assert.equal(environment.PB_TRANSPORT, transport);
        assert.deepEqual(parameters, [role === 'server' ? 'serve' : 'call', transport]);
      }
    });
  }

  it('points the roles to existing Services', () => {
    for (const transport of transports) {
      const {environment} = runOf(transport, 'client');
      const meets = transport === 'rabbitmq' ? 'PB_RABBITMQ' : 'PB_SERVER';
      const [{metadata, spec}] = manifests.ofKind(transport === 'rabbitmq' ? 'broker' : transport, 'Service');
      assert.equal(environment[`${meets}_HOST`], metadata.name);
      assert.equal(environment[`${meets}_PORT`], String(spec.ports[0].port));
    }
    const [{spec}] = manifests.ofKind('broker', 'StatefulSet');
    assert.deepEqual(
      spec.template.spec.containers[0].env.map((/** @type {any} */ {valueFrom}) => valueFrom.secretKeyRef),
      secret.keys.map((key) => ({name: secret.name, key})),
    );
  });

  describe('its Dockerfile', () => {
    const broker = sharedBroker();
    /** @type {string} */
    let imagePlace;
    /** @type {Awaited<ReturnType<typeof makeImage>>} */
    let image;
    before(async () => {
      imagePlace = await mkdtemp(join(tmpdir(), 'perf-battle-image-'));
      image = await makeImage(imagePlace);
    });
    after(() => rm(imagePlace, {recursive: true, force: true}));

    it('runs as the user of the manifests, who cannot write there', async () => {
      const {code, stderr} = await image.run(['--transport', 'tcp', '--samples', '10'], {});
      assert.equal(code, 1);
      assert.match(stderr, /Cannot write results\.md: (permission denied|its file system is read-only)/);
      for (const {spec} of transports.flatMap((transport) => manifests.workloadsOf(transport))) {
        const {securityContext, containers} = spec.template.spec;
        assert.equal(securityContext.runAsUser, image.user);
        assert.equal(containers[0].image, 'perf-battle');
        assert.equal(containers[0].securityContext.readOnlyRootFilesystem, true);
      }
    });

    /** Addresses in place of those of the Services, and a short load. @param {string} transport @returns {Promise<Record<string, string>>} */
    async function replacements(transport) {
      const short = {PB_WARMUP: '200ms', PB_DURATION: '300ms'};
      const {hostname, port} = broker().connection;
      return transport === 'rabbitmq'
        ? {...short, PB_RABBITMQ_HOST: hostname, PB_RABBITMQ_PORT: String(port)}
        : {...short, PB_SERVER_HOST: '127.0.0.1', PB_SERVER_PORT: String(await freePort())};
    }

    for (const transport of transports) {
      it(`contains everything that ${transport} needs to run with the manifests' settings`, async () => {
        const {username, password} = broker().connection;
        const replaced = await replacements(transport);
        const [ofServer, ofClient] = roles.map((role) => {
          const {parameters, environment} = runOf(transport, role, [username, password]);
          for (const name of Object.keys(replaced))
            assert.ok(name in environment, `${name} replaces nothing`);
          return {parameters, environment: {...environment, ...replaced}};
        });
        const server = await image.start(ofServer.parameters, ofServer.environment);
        const running = [1, 2].map(() => image.run(ofClient.parameters, ofClient.environment));
        const clients = await Promise.all(running).finally(() => server.end());
        const results = clients.map(resultOf);
        assert.equal(await server.end(), 143);
        for (const {counts} of results) {
          assert.ok(counts.received > 0);
          assert.equal(counts.verified, counts.sent);
        }
        const merged = merge(clients.map(({stdout}) => stdout));
        assert.deepEqual([merged.status, merged.clients, merged.errors], [0, 2, []]);
        assert.equal(merged.counts.sent, results[0].counts.sent + results[1].counts.sent);
        assert.equal(merged.rtt.samples, merged.counts.sent);
        assert.equal(merged.rtt.maxMs, Math.max(...results.map(({rtt}) => rtt.maxMs)));
        if (transport !== 'tcp') return;
        const [{stdout}] = clients;
        assert.equal(merge([`Warning: a remark\n${stdout}`]).status, 0, 'a warning is no event');
        assert.equal(merge([stdout, '{"event":"resu\n']).status, 1, 'a line cannot be read');
        assert.equal(merge([stdout.split('\n')[0]]).status, 1, 'no client reported a result');
      });
    }

    it('has the first steps of infra/docker/Dockerfile, whose image runs a battle', async () => {
      const place = await mkdtemp(join(tmpdir(), 'perf-battle-image-'));
      try {
        const {app, repeated, textOf} = await executeSteps(place, 'infra/docker/Dockerfile', image);
        assert.deepEqual(
          repeated.map((step) => step.split(' ')[0]),
          ['COPY', 'RUN'],
        );
        assert.equal(textOf('ENV'), 'PB_RESULTS=/results/results.md XDG_CACHE_HOME=/app/cache');
        const [program, ...parameters] = JSON.parse(textOf('ENTRYPOINT'));
        const flags =
          '--transport websocket,grpc,amqp1,rabbitmq-stream,stomp,nats,jetstream,mqtt,redis,kafka --broker private --payload 1kb --rounds 1 --samples 20 --warmup 5';
        const environment = {
          PATH: process.env.PATH,
          PB_RESULTS: join(place, 'results.md'),
          XDG_CACHE_HOME: join(app, 'cache'),
        };
        const command = [...parameters, ...flags.split(' ')];
        const {status, stdout, stderr} = spawnSync(program, command, {
          cwd: app,
          env: environment,
          encoding: 'utf8',
        });
        assert.equal(status, 0, stderr);
        assert.match(stdout, /15 rows appended to .*results\.md\./);
      } finally {
        await rm(place, {recursive: true, force: true});
      }
    });

    it('makes a client wait for a server that is not running yet, and end with 1 when none starts', async () => {
      const {parameters, environment} = runOf('http', 'client');
      const late = {...environment, ...(await replacements('http')), PB_CONNECT_TIMEOUT: '500ms'};
      const {code, stdout, stderr} = await image.run(parameters, late);
      assert.equal(code, 1);
      assert.match(stderr, /the server is not available yet; waiting up to 0.5 s/);
      assert.equal(JSON.parse(stdout).code, 'PB_NO_SERVER');
      assert.equal(merge([stdout]).status, 1);
    });
  });
});

/** @param {{code: number | null, stdout: string, stderr: string}} client */
function resultOf({code, stdout, stderr}) {
  assert.equal(code, 0, `${stderr}${stdout}`);
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    events.map(({event}) => event),
    ['ready', 'result'],
  );
  return events[1];
}

/** @param {string[]} outputs of the clients */
function merge(outputs) {
  const {status, stdout} = spawnSync(process.execPath, [mergeScript], {
    input: outputs.join(''),
    encoding: 'utf8',
  });
  return {status, ...JSON.parse(stdout)};
}
