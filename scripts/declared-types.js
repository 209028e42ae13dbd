import {z} from 'zod';
import {errorCodes} from '../src/errors.js';
import {camelCase} from '../src/options/option.js';
import {cellRecord} from '../src/results/record-schema.js';
import {meaningOf} from '../src/settings/describe-settings.js';
import {givenOptions, givenOptionsOfFaults} from '../src/settings/given.js';

/** @import {Option} from '../src/options/contract.js' */

/**
 * A JSON Schema, as far as records have it.
 * @typedef {object} Schema
 * @property {string | string[]} [type]
 * @property {string} [description]
 * @property {unknown} [const]
 * @property {unknown[]} [enum]
 * @property {Schema[]} [oneOf]
 * @property {Schema[]} [anyOf]
 * @property {Schema[]} [prefixItems]
 * @property {Schema} [items]
 * @property {Record<string, Schema>} [properties]
 * @property {string[]} [required]
 * @property {Schema | false} [additionalProperties]
 */

const names = {integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null'};

/** types/declared.d.ts: what is declared elsewhere, as types that need no other package. @returns {string} */
export function declaredTypes() {
  const record = typeOf(/** @type {Schema} */ (z.toJSONSchema(cellRecord)));
  const codes = Object.keys(errorCodes).map((code) => `\n  | '${code}'`);
  return `/** Made from declarations by \`npm run generate\`. */

/** As on a command line: 2, '10ms', '1kb,2kb', ['http', 'tcp'], true. */
type Given = string | number | boolean | readonly (string | number)[];

/** The options of a battle by their flags, in camel case: \`deliveryMode\` for \`--delivery-mode\`. */
export interface BattleSettings {
${fieldsOf(givenOptions())}}

/** The options of \`perf-battle faults\`, likewise. */
export interface FaultSettings {
${fieldsOf(givenOptionsOfFaults())}}

/** The record of a cell, as the journal keeps it and \`--json\` prints it. */
export type CellRecord = ${record};

export type ErrorCode =${codes.join('')};
`;
}

/** @param {readonly Option[]} options */
function fieldsOf(options) {
  const fields = options.map(
    (option) => `${comment(meaningOf(option))}  ${camelCase(option.name)}?: Given | undefined;\n`,
  );
  return fields.join('');
}

/** @param {Schema} schema @returns {string} */
function typeOf(schema) {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const some = schema.oneOf ?? schema.anyOf;
  if (some) return some.map(typeOf).join(' | ');
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(', ')}]`;
  if (schema.type === 'array') return `(${typeOf(schema.items ?? {})})[]`;
  if (schema.type === 'object') return objectType(schema);
  return [schema.type ?? []].flat().map(nameOf).join(' | ') || 'unknown';
}

/** @param {Schema} schema */
function objectType({properties, required = [], additionalProperties}) {
  if (!properties) return `Record<string, ${typeOf(additionalProperties || {})}>`;
  const fields = Object.entries(properties).map(([key, schema]) => {
    const isThere = required.includes(key);
    return `${comment(schema.description)}${key}${isThere ? '' : '?'}: ${typeOf(schema)}${isThere ? '' : ' | undefined'};\n`;
  });
  return `{\n${fields.join('')}}`;
}

/** @param {string} type */
function nameOf(type) {
  if (Object.hasOwn(names, type)) return names[/** @type {keyof typeof names} */ (type)];
  throw new Error(`No type of TypeScript is known for ${type}.`);
}

/** @param {string | undefined} text */
function comment(text) {
  return text === undefined ? '' : `/** ${text.replaceAll('*/', '* /')} */\n`;
}
