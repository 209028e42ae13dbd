import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {readFile, rm, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {after, afterEach, before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {gunzipSync} from 'node:zlib';
import {ownerOf} from '../../../src/ec2/stack.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {fillCaches} from '../support/fill-caches.js';
import {startMoto} from '../support/moto.js';
import {makeNetwork} from '../support/network.js';
import {runPython} from '../support/python.js';

/**
 * @import {Moto} from '../support/moto.js'
 * @import {Network} from '../support/network.js'
 * @import {Workplace} from '../support/workplace.js'
 */

const template = fileURLToPath(new URL('../../../infra/ec2/stack.yaml', import.meta.url));
/** The test host for each host of the stack. */
const standIns = {client: 'alpha', server: 'beta', broker: 'gamma'};
/** A test host that is never ready. */
const neverReady = 'delta';
const types = ['t2.micro', 'm4.xlarge'];
const short = ['--samples', '50', '--warmup', '10', '--rounds', '1', '--payload', '1kb'];

describe('hosts on EC2', {timeout: 1_200_000}, () => {
  /** @type {Moto} */
  let moto;
  /** @type {Network} */
  let network;
  /** @type {NodeJS.ProcessEnv} */
  let environment;
  /** What the stand-ins have. */
  let hostKey = '';
  const prefix = `perf-battle-${ownerOf('arn:aws:sts::123456789012:user/moto', '').name}`;

  before(async () => {
    // One after the other: whatever fails, `after` closes what has started.
    moto = await startMoto(takeHostKey);
    network = await makeNetwork([...Object.values(standIns), neverReady]);
    await fillCaches(network);
    const folder = dirname(network.sshConfig);
    await writeFile(join(folder, 'ec2-config'), userConfig(standIns));
    await writeFile(join(folder, 'never-ready-config'), userConfig({...standIns, client: neverReady}));
    environment = {
      ...moto.environment,
      PB_SSH_CONFIG: join(folder, 'ec2-config'),
      PB_KEY: join(folder, 'key'),
      PB_SSH_FROM: '203.0.113.7',
    };
  });
  after(async () => {
    await Promise.all([moto?.close(), network?.close()]);
  });
  afterEach(async () => {
    await moto.reset();
    await report('rm -rf /run/perf-battle');
  });

  /** As cloud-init does. All stand-ins share one key, as the hosts of all stacks of one command do. @param {string} userData */
  async function takeHostKey(userData) {
    const [, config] = userData.match(/^#cloud-config\n(.*)$/m) ?? assert.fail(userData);
    const key = JSON.parse(config).ssh_keys.ed25519_private;
    if (key === hostKey) return;
    hostKey = key;
    for (const name of [...Object.values(standIns), neverReady]) await network.setHostKey(name, key);
  }

  /**
   * The addresses of a stack do not exist here: a proxy leads to the stand-ins. As a person's file may, it has settings for all other hosts.
   * @param {Record<string, string>} ofM4 the stand-ins for m4.xlarge
   */
  const userConfig = (ofM4) => {
    const sections = types.flatMap((type, index) =>
      Object.entries(index === 0 ? standIns : ofM4).map(
        ([role, name]) =>
          `Host ${type}-${role}\n  ProxyCommand socat - TCP:${network.hosts[name].address}:2222`,
      ),
    );
    return `${sections.join('\n')}
Host *
  User nobody
  Port 2022
  IdentityFile /nonexistent
  IdentitiesOnly yes
  PubkeyAuthentication no
  StrictHostKeyChecking yes
  UserKnownHostsFile /dev/null
  HostKeyAlgorithms ecdsa-sha2-nistp256
`;
  };

  async function runningHosts() {
    const {instances} = await moto.inventory();
    return instances.filter((/** @type {any} */ {state}) => state === 'running').length;
  }

  /** Runs a script on all hosts, in place of their user data. @param {string} script */
  async function report(script) {
    for (const name of Object.values(standIns)) {
      const {code, stderr} = await network.run(name, 'sh', ['-c', script]);
      assert.equal(code, 0, stderr);
    }
  }
  const reportReady = () =>
    report(
      'mkdir -p /run/perf-battle && printf "node v22.0.0\\nbroker installed\\n" >/run/perf-battle/ready',
    );

  /** Returns once the hosts of the last type are created. @param {Workplace} workplace @param {...string} wanted instance types */
  async function startOnNewHosts(workplace, ...wanted) {
    const words = ['ec2', 'run', '--instance-type', wanted.join(','), '--yes'];
    const run = workplace.start('battle', words, environment);
    await run.says(new RegExp(`${wanted[wanted.length - 1].replace('.', '-')} is created`));
    return run;
  }

  it("come from a template that CloudFormation's linter accepts", async () => {
    const broken = join(dirname(network.sshConfig), 'broken.yaml');
    await writeFile(broken, (await readFile(template, 'utf8')).replace('CidrBlock: 10.20.0.0/24', 'Cidr: 1'));
    // Both at once, because the linter takes long to load. It names each file in which it finds something.
    await assert.rejects(
      runPython('cfn-lint', ['--format', 'parseable', template, broken]),
      (/** @type {{stdout: string}} */ {stdout}) => {
        const findings = stdout.trim().split('\n');
        assert.match(stdout, /'Cidr' was unexpected/);
        assert.deepEqual(
          new Set(findings.map((finding) => finding.split(':')[0])),
          new Set([broken]),
          stdout,
        );
        return true;
      },
    );
  });

  it(
    'are created, shown, reused and deleted',
    inAWorkplace(async (workplace) => {
      await reportReady();
      const ec2 = (/** @type {string[]} */ ...words) => workplace.battle(['ec2', ...words], environment);
      const up = await ec2('up', '--instance-type', types.join(','), '--ttl', '3h', '--yes');
      assert.equal(up.code, 0, up.stderr);
      assert.match(up.stderr, /3 × t2\.micro .*CPU credits standard, about \$0\.05 an hour/);
      assert.match(up.stderr, /3 × m4\.xlarge .*in a cluster placement group, about \$0\.62 an hour/);
      assert.match(up.stderr, /ssh from 203\.0\.113\.7\/32/);
      assert.match(up.stderr, /after 180 minutes/);
      const commands = up.stdout.trim().split('\n');
      assert.equal(commands.length, 2);
      const config = join(workplace.path, `.cache/perf-battle/ec2/${prefix}-t2-micro/ssh_config`);
      assert.equal(
        commands[0],
        `perf-battle --ssh-config ${config} --client-on t2.micro-client --server-on t2.micro-server --broker-on t2.micro-broker`,
      );

      const made = await moto.inventory();
      assert.deepEqual(made.instances.map((/** @type {any} */ {type, state}) => `${type} ${state}`).sort(), [
        ...Array(3).fill('m4.xlarge running'),
        ...Array(3).fill('t2.micro running'),
      ]);
      const client = made.instances.find((/** @type {any} */ {name}) => name === `${prefix}-t2-micro client`);
      assert.match(await readFile(config, 'utf8'), new RegExp(`HostName ${client.address}\n`));
      assert.deepEqual(
        made.rules.map((/** @type {any} */ rule) => [
          rule.IpProtocol,
          rule.FromPort ?? null,
          rule.IpRanges.map((/** @type {any} */ {CidrIp}) => CidrIp),
          rule.UserIdGroupPairs.length,
        ]),
        [
          ['tcp', 22, ['203.0.113.7/32'], 0],
          ['-1', null, [], 1],
          ['tcp', 22, ['203.0.113.7/32'], 0],
          ['-1', null, [], 1],
        ],
      );
      for (const launch of made.launches) {
        assert.equal(launch.InstanceInitiatedShutdownBehavior, 'terminate');
        assert.equal(launch.MetadataOptions.HttpTokens, 'required');
        const userData = gunzipSync(Buffer.from(launch.UserData, 'base64')).toString();
        assert.match(
          userData,
          /^Content-Type: multipart[\s\S]*--on-active=180min[\s\S]*\n#!\/usr\/bin\/env bash\n[\s\S]*TTL_MINUTES=180\n[\s\S]*PRODUCT=RabbitMQ/,
        );
      }
      // The order in which the stacks are created varies.
      const credits = made.launches
        .map((/** @type {any} */ launch) => launch.CreditSpecification?.CpuCredits ?? 'none')
        .sort();
      assert.deepEqual(credits, ['none', 'standard']);

      const status = await ec2('status');
      assert.match(
        status.stdout,
        new RegExp(`${prefix}-m4-xlarge: CREATE_COMPLETE, m4\\.xlarge; its hosts terminate at 20`),
      );
      const {region, stacks, foreign} = JSON.parse((await ec2('status', '--json')).stdout);
      assert.deepEqual([region, foreign], ['us-east-1', []]);
      const [stack] = stacks.filter((/** @type {any} */ {instanceType}) => instanceType === 'm4.xlarge');
      assert.equal(stack.status, 'CREATE_COMPLETE');
      assert.ok(Date.parse(stack.expiresAt) > Date.now());
      const again = await ec2('up', '--instance-type', 't2.micro', '--json');
      assert.equal(again.code, 0, again.stderr);
      assert.match(again.stderr, /t2-micro is running already/);
      assert.doesNotMatch(again.stderr, /This creates/);
      const [hosts] = JSON.parse(again.stdout).hosts;
      assert.deepEqual(
        [hosts.instanceType, hosts.sshConfig, hosts.client],
        ['t2.micro', config, 't2.micro-client'],
      );

      const some = await ec2('down', '--instance-type', 't2.micro', '--json');
      assert.equal(some.code, 0, some.stderr);
      assert.deepEqual(JSON.parse(some.stdout), {deleted: [`${prefix}-t2-micro`]});
      assert.equal(existsSync(config), false);
      assert.doesNotMatch((await ec2('status')).stdout, /t2-micro/);
      assert.equal((await ec2('down')).code, 0);
      assert.equal((await ec2('status')).stdout, 'No hosts of perf-battle in us-east-1.\n');
      const left = await moto.inventory();
      assert.ok(left.instances.every((/** @type {any} */ {state}) => state === 'terminated'));
      assert.deepEqual([left.networks, left.launches, left.rules], [0, [], []]);
    }),
  );

  it(
    'belong to the AWS identity that created them, and others cannot delete them',
    inAWorkplace(async (workplace) => {
      await reportReady();
      const only = ['--instance-type', 't2.micro', '--yes'];
      const ec2 = async (/** @type {NodeJS.ProcessEnv} */ who, /** @type {string[]} */ ...words) => {
        const outcome = await workplace.battle(['ec2', ...words], {...environment, ...who});
        assert.equal(outcome.code, 0, outcome.stderr);
        return outcome;
      };
      const [ann, annMarie] = [await moto.addUser('ann'), await moto.addUser('ann-marie')];
      await ec2(ann, 'up', ...only);
      assert.doesNotMatch((await ec2(annMarie, 'up', ...only)).stderr, /running already/);
      assert.equal((await moto.inventory()).networks, 2);
      await ec2(ann, 'down');
      const own = await ec2(annMarie, 'status');
      assert.match(own.stdout, /^perf-battle-ann-marie-[0-9a-f]{8}-t2-micro: CREATE_COMPLETE/);
      const foreign = await ec2(ann, 'status');
      assert.equal(foreign.stdout, 'No hosts of perf-battle in us-east-1.\n');
      assert.match(
        foreign.stderr,
        /^perf-battle-ann-marie-\S+ belongs to another owner: arn:aws:iam::123456789012:user\/ann-marie\n$/,
      );
    }),
  );

  for (const {what, spoil, says} of [
    {
      what: 'another host answers',
      spoil: () => network.changeHostKey(standIns.server),
      says: /t2\.micro-server .*host key differs/,
    },
    {
      what: 'the key is refused',
      spoil: () => rm(join(network.hosts[standIns.broker].folder, 'ssh', 'authorized_keys')),
      says: /t2\.micro-broker .*refused every key/,
    },
  ]) {
    it(
      `are not waited for when the cause lasts: ${what}`,
      inAWorkplace(async (workplace) => {
        const run = await startOnNewHosts(workplace, 't2.micro');
        const keys = join(network.hosts[standIns.broker].folder, 'ssh', 'authorized_keys');
        const authorized = await readFile(keys, 'utf8');
        await spoil();
        const {code, stderr} = await run.ended;
        await writeFile(keys, authorized);
        hostKey = '';
        assert.equal(code, 3, stderr);
        assert.match(stderr, says);
        assert.equal((await moto.inventory()).networks, 0);
      }),
    );
  }

  it(
    'run a battle for each type, which fills one column of the same rows, and are deleted',
    inAWorkplace(async (workplace) => {
      await reportReady();
      const some = ['--transport', 'nats', ...short, '--json'];
      const words = ['ec2', 'run', '--instance-type', types.join(','), '--yes', ...some];
      const {code, stdout, stderr} = await workplace.battle(words, environment);
      assert.equal(code, 0, stderr);
      assert.equal(stderr.match(/rows appended/g)?.length, 1);
      const cells = await workplace.cells();
      assert.equal(cells.length, 4);
      for (const cell of cells) {
        assert.equal(cell.outcome, 'completed');
        assert.equal(cell.environment, 'EC2');
        assert.deepEqual(cell.hosts, {
          client: 'alpha',
          server: 'beta',
          broker: cell.transport === 'nats' ? 'gamma' : null,
        });
      }
      const rows = await workplace.rows();
      assert.equal(rows.length, 2);
      const table = await readFile(workplace.file('results.md'), 'utf8');
      assert.match(table, /\| Persistent \| RTT t2\.micro \| RTT m4\.xlarge \|/);
      for (const row of rows) assert.match(row, /\| EC2 .*\| *\d+\.\d{4} ms *\| *\d+\.\d{4} ms *\|$/);
      const {battles} = JSON.parse(stdout);
      assert.deepEqual(
        battles.map((/** @type {any} */ {battle}) => battle.machine),
        types,
      );
      const {instances, networks} = await moto.inventory();
      assert.equal(instances.length, 6);
      assert.ok(instances.every((/** @type {any} */ {state}) => state === 'terminated'));
      assert.equal(networks, 0);
    }),
  );

  it(
    'are deleted after Ctrl-C during a battle; finished results are kept',
    inAWorkplace(async (workplace) => {
      await reportReady();
      const words = ['ec2', 'run', '--instance-type', types.join(','), '--yes', '--transport', 'tcp'];
      const run = workplace.start(
        'battle',
        [...words, '--duration', '800ms', '--warmup', '20', '--payload', '1kb', '--rounds', '1'],
        environment,
      );
      const isSecond = async () =>
        (await workplace.journal().catch(() => [])).filter(({kind}) => kind === 'battle').length === 2;
      while (!(await isSecond()))
        await Promise.race([sleep(100), run.ended.then(() => assert.fail(run.output()))]);
      process.kill(run.pid, 'SIGINT');
      const {code, stderr} = await run.ended;
      assert.equal(code, 130, stderr);
      const [row, ...others] = await workplace.rows();
      assert.match(row, /\| TCP.* EC2 /);
      assert.deepEqual(others, []);
      const outcomes = (await workplace.cells()).map(({machine, outcome}) => [machine, outcome]);
      assert.deepEqual(outcomes, [
        ['t2.micro', 'completed'],
        ['m4.xlarge', 'aborted'],
      ]);
      const {instances, networks} = await moto.inventory();
      assert.ok(instances.every((/** @type {any} */ {state}) => state === 'terminated'));
      assert.equal(networks, 0);
    }),
  );

  it(
    'are deleted after SIGTERM while they boot',
    inAWorkplace(async (workplace) => {
      const run = await startOnNewHosts(workplace, ...types);
      process.kill(run.pid, 'SIGTERM');
      const {code, stderr} = await run.ended;
      assert.equal(code, 143, stderr);
      assert.equal((await moto.inventory()).networks, 0);
      assert.equal(existsSync(workplace.file('results.md')), false);
      assert.deepEqual(await workplace.leftoversWithin(5000), []);
    }),
  );

  it(
    'stay after kill -9 until they terminate themselves, and ec2 down removes them',
    inAWorkplace(async (workplace) => {
      const run = await startOnNewHosts(workplace, 't2.micro');
      process.kill(run.pid, 'SIGKILL');
      await run.ended;
      assert.deepEqual(await workplace.leftoversWithin(5000), []);
      const {launches, networks} = await moto.inventory();
      assert.equal(networks, 1);
      // By themselves, after --ttl, whose default is two hours.
      assert.equal(launches[0].InstanceInitiatedShutdownBehavior, 'terminate');
      const userData = gunzipSync(Buffer.from(launches[0].UserData, 'base64')).toString();
      assert.match(userData, /--on-active=120min/);
      const status = await workplace.battle(['ec2', 'status'], environment);
      assert.match(status.stdout, /-t2-micro: CREATE_COMPLETE, t2\.micro; its hosts terminate at 20/);
      const down = await workplace.battle(['ec2', 'down'], environment);
      assert.equal(down.code, 0, down.stderr);
      assert.equal((await moto.inventory()).networks, 0);
    }),
  );

  for (const {slow, sent, left} of [
    {
      slow: 'DescribeStacks',
      sent: /Deleting .*-t2-micro/,
      left: /^CloudFormation is deleting the stack .*-t2-micro in us-east-1; .*ec2 status --region us-east-1$/m,
    },
    {
      slow: 'DeleteStack',
      sent: null,
      left: /^The stack .*-t2-micro in us-east-1 may be up and then costs about \$0\.05 an hour until its hosts terminate at 20.*Z\. To remove it: perf-battle ec2 down --region us-east-1 --instance-type t2\.micro$/m,
    },
  ]) {
    it(
      `are named after a second Ctrl-C; their deletion is requested first (${slow} is slow)`,
      inAWorkplace(async (workplace) => {
        const run = await startOnNewHosts(workplace, 't2.micro');
        await moto.treat({[slow]: {delay: 20}});
        process.kill(run.pid, 'SIGINT');
        const deadline = Date.now() + 10_000;
        while (!(await moto.actions()).includes('DeleteStack')) {
          assert.ok(Date.now() < deadline, `DeleteStack did not come: ${run.output()}`);
          await sleep(100);
        }
        if (sent) await run.says(sent, 10_000);
        process.kill(run.pid, 'SIGINT');
        const {code, stderr} = await run.ended;
        assert.equal(code, 130, stderr);
        assert.match(stderr, left);
      }),
    );
  }

  it(
    'are named, with what they cost and how to remove them, when AWS refuses their deletion',
    inAWorkplace(async (workplace) => {
      await reportReady();
      await moto.treat({DeleteStack: {error: 'ExpiredToken'}});
      const words = ['ec2', 'run', '--instance-type', 't2.micro', '--yes', '--transport', 'tcp', ...short];
      // A process names them at its end.
      const {code, stderr} = await workplace.run('battle', words, environment);
      assert.equal(code, 3, stderr);
      assert.equal((await workplace.rows()).length, 1);
      assert.match(stderr, /delete .*ExpiredToken/);
      const [, command] =
        stderr.match(/\$0\.05 an hour until .*Z\. To remove it: perf-battle (.*)\n$/) ?? assert.fail(stderr);
      await moto.treat({});
      assert.equal((await workplace.battle(command.split(' '), environment)).code, 0);
      assert.equal((await moto.inventory()).networks, 0);
    }),
  );

  it(
    'of one type are enough for a battle when those of another are not available',
    inAWorkplace(async (workplace) => {
      await reportReady();
      const {code: reported} = await network.run(neverReady, 'sh', [
        '-c',
        'mkdir -p /run/perf-battle && echo "no space" >/run/perf-battle/failed',
      ]);
      assert.equal(reported, 0);
      const words = [
        'ec2',
        'run',
        '--instance-type',
        types.toReversed().join(','),
        '--yes',
        '--transport',
        'tcp',
        ...short,
      ];
      const withNeverReady = {
        ...environment,
        PB_SSH_CONFIG: join(dirname(network.sshConfig), 'never-ready-config'),
      };
      const {code, stderr} = await workplace.battle(words, withNeverReady);
      assert.equal(code, 3, stderr);
      assert.match(stderr, /m4\.xlarge-client .*: no space\n/);
      assert.equal((await workplace.rows()).length, 1);
      assert.match(await readFile(workplace.file('results.md'), 'utf8'), /RTT t2\.micro/);
      assert.equal((await moto.inventory()).networks, 0);
    }),
  );

  it(
    'are deleted when one reports a failed set-up, without a wait for the others',
    inAWorkplace(async (workplace) => {
      const fail = 'mkdir -p /run/perf-battle && echo "no space" >/run/perf-battle/failed';
      assert.equal((await network.run(standIns.server, 'sh', ['-c', fail])).code, 0);
      const words = ['ec2', 'run', '--instance-type', 't2.micro', '--yes', ...short];
      const {code, stderr} = await workplace.battle(words, environment);
      assert.equal(code, 3, stderr);
      assert.match(stderr, /t2\.micro-server .*: no space/);
      assert.equal((await moto.inventory()).networks, 0);
      assert.equal(existsSync(workplace.file('results.md')), false);
    }),
  );

  it(
    'that are up are judged by the time that is left to them, not by --ttl, and stay after a battle',
    inAWorkplace(async (workplace) => {
      await reportReady();
      const ec2 = (/** @type {string[]} */ ...words) =>
        workplace.battle(['ec2', ...words, '--instance-type', 't2.micro'], environment);
      const hour = ['--transport', 'tcp', '--payload', '1kb', '--rounds', '60', '--duration', '60s'];
      assert.equal((await ec2('up', '--yes', '--ttl', '15m')).code, 0);
      const late = await ec2('run', '--yes', ...hour, '--ttl', '3h');
      assert.equal(late.code, 2, late.stderr);
      assert.match(late.stderr, /t2\.micro .*about \d+ minutes.*-t2-micro.* 1[0-4] minutes\./);
      assert.equal((await ec2('run', '--yes', '--transport', 'tcp', ...short, '--ttl', '15m')).code, 0);
      assert.equal(await runningHosts(), 3);
      assert.equal((await ec2('down')).code, 0);
      assert.equal(await runningHosts(), 0);
    }),
  );

  it(
    'are created in the next zone when one does not have the type, unless --zone names it',
    inAWorkplace(async (workplace) => {
      await reportReady();
      const ec2 = (/** @type {string[]} */ ...words) =>
        workplace.battle(['ec2', ...words, '--instance-type', 't2.micro'], environment);
      await moto.treat({RunInstances: {lacking: ['us-east-1a', 'us-east-1b']}});
      const up = await ec2('up', '--yes');
      assert.equal(up.code, 0, up.stderr);
      assert.match(
        up.stderr,
        /not supported in your requested Availability Zone \(us-east-1a\)\..* Trying us-east-1c\.\n/,
      );
      assert.equal((await moto.inventory()).networks, 1);
      assert.equal((await ec2('down')).code, 0);
      const named = await ec2('run', '--yes', '--zone', 'us-east-1b', '--transport', 'tcp', ...short);
      assert.equal(named.code, 3, named.stderr);
      assert.match(named.stderr, /could not be created\. .*\(us-east-1b\).* Try another --zone\./);
      assert.equal((await moto.inventory()).networks, 0);
    }),
  );

  it(
    'stay after ec2 run --keep, until a run without it',
    inAWorkplace(async (workplace) => {
      await reportReady();
      const only = ['--instance-type', 't2.micro', '--yes'];
      const battle = ['--transport', 'tcp', ...short];
      const ec2 = (/** @type {string[]} */ ...words) => workplace.battle(['ec2', ...words], environment);
      const kept = await ec2('run', ...only, ...battle, '--keep', '--broker-with-server');
      assert.equal(kept.code, 0, kept.stderr);
      assert.match(kept.stderr, /keep running because of --keep/);
      assert.equal(await runningHosts(), 2);
      assert.equal((await ec2('run', ...only, ...battle)).code, 0);
      assert.equal(await runningHosts(), 0);
    }),
  );

  for (const {what, words, changed, code, says} of [
    {
      what: 'no credentials',
      words: ['status'],
      changed: {AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_EC2_METADATA_DISABLED: 'true'},
      code: 3,
      says: /^perf-battle: .*AWS credentials: .+\n$/,
    },
    {
      what: 'no region',
      words: ['status'],
      changed: {AWS_DEFAULT_REGION: ''},
      code: 2,
      says: /^perf-battle: .*--region.*\n$/,
    },
    {
      what: 'no terminal for the confirmation',
      words: ['up', '--instance-type', 't2.micro'],
      changed: {},
      code: 2,
      says: /This creates the following in us-east-1[\s\S]*no terminal to ask.*--yes/,
    },
    {
      what: 'a service that does not answer',
      words: ['status'],
      changed: {AWS_ENDPOINT_URL: 'http://127.0.0.1:9'},
      code: 3,
      says: /^perf-battle: AWS in us-east-1 .*: .+\n$/,
    },
    {
      what: "a battle that takes longer than the hosts' time to live",
      words: ['run', '--instance-type', 't2.micro', '--ttl', '15m', '--duration', '60s'],
      changed: {},
      code: 2,
      says: /about \d+ minutes, but the hosts terminate after 15/,
    },
  ]) {
    it(
      `are not created, and an error gives the reason: ${what}`,
      inAWorkplace(async (workplace) => {
        const outcome = await workplace.battle(['ec2', ...words], {...environment, ...changed});
        assert.equal(outcome.code, code, outcome.stderr);
        assert.match(outcome.stderr, says);
        assert.deepEqual((await moto.inventory()).instances, []);
      }),
    );
  }
});
