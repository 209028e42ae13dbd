import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readCommandLine} from '../../src/options/command-line.js';
import {resolveOptions} from '../../src/options/resolve.js';
import {allOptions, optionsOfEc2} from '../../src/settings/index.js';

/** @import {Option} from '../../src/options/contract.js' */

/** @type {[keyof typeof optionsOfEc2, string, RegExp | null][]} */
const cases = [
  ['up', '--instance-type t2.micro --region eu-west-1 --ttl 1h --ssh-config f --yes', null],
  ['up', '--keep', /--keep is not an option of this command/],
  ['run', '--instance-type t2.micro --keep --credits unlimited', null],
  ['status', '--instance-type t2.micro --region eu-west-1', null],
  ['status', '--ttl 1h', /--ttl is not an option of this command/],
  ['down', '--instance-type t2.micro', null],
  ['down', '--yes', /--yes is not an option of this command/],
  ['down', '--ssh-config f', /--ssh-config is not an option of this command/],
];

for (const [action, commandLine, message] of cases) {
  test(`ec2 ${action} ${message ? 'refuses' : 'takes'} ${commandLine}`, () => {
    /** @type {readonly Option[]} */
    const mine = optionsOfEc2[action];
    const {flags} = readCommandLine(mine, commandLine.split(' '));
    const resolve = () => resolveOptions(allOptions, {scope: 'battle', mine, flags});
    if (message) assert.throws(resolve, {code: 'PB_USAGE', message});
    else resolve();
  });
}

test('every option of ec2 is taken by an action', () => {
  const taken = new Set(Object.values(optionsOfEc2).flatMap((options) => options.map(({name}) => name)));
  for (const {name, scope} of allOptions) if (scope === 'ec2') assert.ok(taken.has(name), name);
});
