import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {createInterface} from 'node:readline';
import {buffer} from 'node:stream/consumers';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {gunzipSync} from 'node:zlib';
import {freePort} from './ports.js';
import {pythonEnvironment, pythonPath} from './python.js';

/** @import {AddressInfo} from 'node:net' */

const server = fileURLToPath(new URL('moto-server.py', import.meta.url));
const region = 'us-east-1';

/**
 * Prints a line of JSON for each line that it reads: the EC2 resources, or the access key of a new user with the name that the line has. One
 * process does: the library takes long to load.
 */
const inventory = `
import json, sys, boto3
ec2 = boto3.client('ec2')
iam = boto3.client('iam')
def add_user(name):
  iam.create_user(UserName=name)
  return iam.create_access_key(UserName=name)['AccessKey']
def inventory():
  instances = [i for r in ec2.describe_instances()['Reservations'] for i in r['Instances']]
  templates = ec2.describe_launch_templates()['LaunchTemplates']
  return {
    'instances': [{
        'name': next((t['Value'] for t in i['Tags'] if t['Key'] == 'Name'), None),
        'type': i['InstanceType'],
        'image': i['ImageId'],
        'state': i['State']['Name'],
        'address': i.get('PublicIpAddress'),
    } for i in instances],
    'rules': [rule for group in ec2.describe_security_groups()['SecurityGroups']
        if group['GroupName'] != 'default' for rule in group['IpPermissions']],
    'launches': [ec2.describe_launch_template_versions(LaunchTemplateId=t['LaunchTemplateId'])
        ['LaunchTemplateVersions'][-1]['LaunchTemplateData'] for t in templates],
    'networks': len([v for v in ec2.describe_vpcs()['Vpcs'] if not v['IsDefault']]),
  }
for line in sys.stdin:
  print(json.dumps(add_user(line.strip()) if line.strip() else inventory(), default=str), flush=True)
`;

/**
 * A local emulator of CloudFormation and EC2.
 * @param {(userData: string) => Promise<void>} boot what hosts do with their user data, before they are created
 */
export async function startMoto(boot) {
  const port = await freePort();
  const boots = createServer(async (request, response) => {
    try {
      await boot(gunzipSync(await buffer(request)).toString());
    } catch (error) {
      response.statusCode = 500;
      console.error(error);
    }
    response.end();
  }).listen(0, '127.0.0.1');
  await once(boots, 'listening');
  const {port: bootPort} = /** @type {AddressInfo} */ (boots.address());
  const child = spawn(pythonPath('python'), [server, String(port), `http://127.0.0.1:${bootPort}`], {
    env: pythonEnvironment,
    stdio: 'ignore',
  });
  const endpoint = `http://127.0.0.1:${port}`;
  /** For the command line of AWS's tools, and for its SDKs. */
  const environment = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'testing',
    AWS_SECRET_ACCESS_KEY: 'testing',
    AWS_DEFAULT_REGION: region,
  };
  const ended = once(child, 'exit');
  const reader = spawn(pythonPath('python'), ['-c', inventory], {
    env: {...pythonEnvironment, ...environment},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({input: reader.stdout})[Symbol.asyncIterator]();
  /** @param {string} line */
  const ask = async (line) => {
    reader.stdin.write(`${line}\n`);
    return JSON.parse((await lines.next()).value);
  };
  await Promise.race([untilItAnswers(endpoint), ended.then(() => Promise.reject(new Error('moto ended')))]);
  return {
    environment,
    region,
    /** Deletes everything, and answers as usual again. */
    reset: async () => {
      await tell(endpoint, {});
      await fetch(`${endpoint}/moto-api/reset`, {method: 'POST'});
    },
    /**
     * Makes actions slow (delay, in seconds), or refuses them with a code of AWS (error) or in some zones (lacking).
     * @param {Record<string, {delay?: number, error?: string, lacking?: string[]}>} actions
     */
    treat: async (actions) => void (await tell(endpoint, actions)),
    /** The names of the actions that were called since the last look. @returns {Promise<string[]>} */
    actions: async () => await tell(endpoint, null),
    /** The existing resources. @returns {Promise<any>} */
    inventory: async () => await ask(''),
    /** The environment of a new IAM user. @param {string} name */
    addUser: async (name) => {
      const {AccessKeyId, SecretAccessKey} = await ask(name);
      return {...environment, AWS_ACCESS_KEY_ID: AccessKeyId, AWS_SECRET_ACCESS_KEY: SecretAccessKey};
    },
    async close() {
      reader.stdin.end();
      child.kill();
      boots.close();
      await ended;
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startMoto>>} Moto */

/** @param {string} endpoint @param {object | null} actions @returns {Promise<any>} */
async function tell(endpoint, actions) {
  const response = await fetch(`${endpoint}/perf-battle`, {
    method: 'POST',
    ...(actions && {body: JSON.stringify(actions)}),
  });
  return await response.json();
}

/** @param {string} endpoint */
async function untilItAnswers(endpoint) {
  const deadline = Date.now() + 60_000;
  while (
    !(await fetch(`${endpoint}/moto-api/data.json`).then(
      ({ok}) => ok,
      () => false,
    ))
  ) {
    if (Date.now() > deadline) throw new Error('moto does not answer');
    await sleep(100);
  }
}
