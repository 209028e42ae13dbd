import assert from 'node:assert/strict';
import {readdir, readFile} from 'node:fs/promises';
import {test} from 'node:test';

const file = (/** @type {string} */ path) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const {Statement: statements} = JSON.parse(await file('infra/ec2/policy.json'));
/** @type {Set<string>} */
const allowed = new Set(statements.flatMap((/** @type {any} */ {Action}) => Action));

/**
 * What CloudFormation calls to create, read and delete a resource of each type, with the caller's permissions: from the handlers in the public
 * schemas of the types, as of pulumi/pulumi-aws-native, aws-cloudformation-schema, commit 43eed3b (August 2026).
 * @type {Record<string, string[]>}
 */
const permissions = JSON.parse(await file('test/ec2/permissions-of-resources.json'));

/** What the types need for properties that the stack does not use, or that change a resource that exists. */
const unused = new Map([
  ['encryption controls of a VPC', /^ec2:CreateVpcEncryptionControl$/],
  ['VPN gateways', /^ec2:(At|De)tachVpnGateway$/],
  ['a route table in place of another', /^ec2:ReplaceRouteTableAssociation$/],
  ['a key pair that AWS makes, and stores in SSM', /^(ec2:CreateKeyPair|ssm:(Put|Delete)Parameter)$/],
  ['a role of the hosts', /^(iam:PassRole|ec2:\w+IamInstanceProfile\w*)$/],
  ['documents of SSM', /^ssm:(\w+Association|ListAssociations)$/],
  ['more volumes', /^ec2:(At|De)tachVolume$/],
  [
    'changes of an instance',
    /^ec2:(Modify(Instance\w+|PrivateDnsNameOptions)|MonitorInstances|StartInstances)$/,
  ],
]);
const isUnused = (/** @type {string} */ action) =>
  [...unused.values()].some((pattern) => pattern.test(action));

const stack = await file('infra/ec2/stack.yaml');
const types = [...new Set([...stack.matchAll(/^ {4}Type: (AWS::EC2::\w+)$/gm)].map(([, type]) => type))];

test('the policy allows what CloudFormation calls for the resources of the stack', () => {
  assert.deepEqual([...types].sort(), Object.keys(permissions).sort());
  const needed = types.flatMap((type) => permissions[type]).filter((action) => !isUnused(action));
  assert.deepEqual(
    needed.filter((action) => !allowed.has(action)),
    [],
  );
});

test('the policy allows every request to CloudFormation, and no request in src goes elsewhere', async () => {
  const source = await file('src/ec2/cloudformation.js');
  const requests = [...source.matchAll(/this\.client\.(?:paginate)?(\w+)\(/g)].map(
    ([, method]) => `${method[0].toUpperCase()}${method.slice(1)}`,
  );
  assert.deepEqual([...new Set(requests)].sort(), [
    'CreateStack',
    'DeleteStack',
    'DescribeStackEvents',
    'DescribeStacks',
  ]);
  for (const request of requests) assert.ok(allowed.has(`cloudformation:${request}`), request);
  const clients = await Promise.all(
    (await readdir(new URL('../../src/ec2/', import.meta.url))).map((name) => file(`src/ec2/${name}`)),
  );
  const packages = clients.flatMap((text) => [...text.matchAll(/loadSdk\('(@aws-sdk\/[^']+)'\)/g)]);
  assert.deepEqual(
    new Set(packages.map(([, name]) => name)),
    // The only request to STS, GetCallerIdentity, needs no permission.
    new Set(['@aws-sdk/client-cloudformation', '@aws-sdk/client-sts']),
  );
});

test('the policy allows the image, and nothing that the stack does not need', () => {
  assert.ok(stack.includes('AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>'));
  assert.ok(allowed.has('ssm:GetParameters'));
  const needed = new Set(types.flatMap((type) => permissions[type]));
  // For !GetAZs, for the parameter that is an image, for the tags of a stack, and for the default rule of a security group.
  const besides = ['ec2:DescribeAvailabilityZones', 'ec2:DescribeImages'];
  const extra = [...allowed].filter(
    (action) => action.startsWith('ec2:') && !needed.has(action) && !besides.includes(action),
  );
  assert.deepEqual(extra, []);
  for (const action of allowed) assert.doesNotMatch(action, /\*/);
});
