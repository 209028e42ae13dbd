import {randomUUID} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {UnavailableError, UsageError} from '../errors.js';
import {requireOptional} from '../packages/load.js';

/**
 * @import {CloudFormation as AwsCloudFormation, Stack as AwsStack} from '@aws-sdk/client-cloudformation'
 * @import * as aws from '@aws-sdk/client-cloudformation'
 * @import {Stack} from './types.js'
 */

const pollMs = 5000;
const creationMinutes = 15;

export class CloudFormation {
  /** @param {AwsCloudFormation} client @param {string} region */
  constructor(client, region) {
    this.client = client;
    this.region = region;
  }

  /**
   * Uses the same credentials and region as AWS's own tools.
   * @param {string | null} region null: the region of the environment or of the profile
   * @throws {UnavailableError} when the SDK is not installed, or there are no credentials @throws {UsageError} when no region is set
   */
  static async open(region) {
    /** @type {typeof aws} */
    const sdk = loadSdk('@aws-sdk/client-cloudformation');
    const given = region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
    const client = new sdk.CloudFormation({...(given && {region: given}), maxAttempts: 5});
    const resolved = await client.config.region().catch(() => {
      throw new UsageError('No region is set. Give one with --region or AWS_REGION, for example us-east-1.');
    });
    await client.config.credentials().catch((error) => {
      throw noCredentials(error);
    });
    return new CloudFormation(client, resolved);
  }

  /** @param {string} name @param {{template: string, parameters: Record<string, string>, tags: Record<string, string>}} stack */
  async create(name, {template, parameters, tags}) {
    const Parameters = Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({
      ParameterKey,
      ParameterValue,
    }));
    const Tags = Object.entries(tags).map(([Key, Value]) => ({Key, Value}));
    // The token makes a repeated request idempotent: it does not fail because the first request succeeded.
    const input = {
      StackName: name,
      TemplateBody: template,
      Parameters,
      Tags,
      TimeoutInMinutes: creationMinutes,
      ClientRequestToken: randomUUID(),
    };
    await this.#request('create a stack', () => this.client.createStack(input));
  }

  /** @returns {Promise<Stack[]>} all stacks of the region, without deleted ones */
  async list() {
    const stacks = await this.#request('list stacks', async () => {
      const found = [];
      for await (const {Stacks = []} of this.client.paginateDescribeStacks()) found.push(...Stacks);
      return found.map(toStack);
    });
    return stacks.filter(({status}) => status !== 'DELETE_COMPLETE');
  }

  /** @param {string} name @returns {Promise<Stack | null>} null: no such stack exists */
  async find(name) {
    return (await this.list()).find((stack) => stack.name === name) ?? null;
  }

  /** Requests the deletion of a stack, and does not wait for its end. @param {string} name */
  async delete(name) {
    await this.#request('delete a stack', () => this.client.deleteStack({StackName: name}));
  }

  /**
   * Waits until CloudFormation has finished its work on a stack.
   * @param {string} name @param {AbortSignal} [signal] @returns {Promise<Stack | null>} null: the stack no longer exists
   */
  async waitUntilSettled(name, signal) {
    for (;;) {
      signal?.throwIfAborted();
      const stack = await this.find(name);
      if (!stack?.status.endsWith('_IN_PROGRESS')) return stack;
      await sleep(pollMs, undefined, {signal}).catch(() => signal?.throwIfAborted());
    }
  }

  /** @param {string} name @returns {Promise<string>} the first failed resource of a stack and its reason */
  async firstFailureOf(name) {
    const {StackEvents = []} = await this.#request('list the events of a stack', () =>
      this.client.describeStackEvents({StackName: name}),
    );
    const failed = StackEvents.filter(({ResourceStatus}) => ResourceStatus?.endsWith('FAILED'));
    const first = failed.at(-1);
    return first
      ? `${first.LogicalResourceId}: ${first.ResourceStatusReason}`
      : 'CloudFormation gives no reason';
  }

  /** @template Output @param {string} action the request in error messages @param {() => Promise<Output>} call */
  async #request(action, call) {
    try {
      return await call();
    } catch (error) {
      const {name, message} = /** @type {Error} */ (error);
      throw new UnavailableError(
        `CloudFormation in ${this.region} could not ${action}: ${firstLine(message)} (${name})`,
        {code: 'PB_AWS', cause: error},
      );
    }
  }
}

/** @param {Error} cause */
function noCredentials(cause) {
  return new UnavailableError(
    `There are no AWS credentials: ${firstLine(cause.message)} Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or log in with aws sso login.`,
    {code: 'PB_NO_CREDENTIALS', cause},
  );
}

/** @param {AwsStack} stack @returns {Stack} */
function toStack({StackName = '', StackStatus, Parameters = [], Outputs = [], Tags = []}) {
  const pairs = (/** @type {[string | undefined, string | undefined][]} */ list) =>
    Object.fromEntries(list.map(([key = '', value = '']) => [key, value]));
  return {
    name: StackName,
    status: StackStatus ?? '',
    parameters: pairs(Parameters.map(({ParameterKey, ParameterValue}) => [ParameterKey, ParameterValue])),
    outputs: pairs(Outputs.map(({OutputKey, OutputValue}) => [OutputKey, OutputValue])),
    tags: pairs(Tags.map(({Key, Value}) => [Key, Value])),
  };
}

/** @param {string} text */
function firstLine(text) {
  return text.split('\n')[0];
}

/**
 * Loads a client of AWS's SDK, which is an optional package.
 * @template Client @param {string} name the name of the package @returns {Client} @throws {UnavailableError} when the package is not installed
 */
export function loadSdk(name) {
  // The SDK's warning about the version of Node.js concerns the maintainers of perf-battle, not its users.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  return requireOptional(name, {by: 'perf-battle ec2', install: 'ec2'});
}
