import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {packageVersion} from './version.js';

/**
 * The versions that the record names; those of the broker are added when there is one.
 * @returns {Promise<Record<string, string | null>>}
 */
export async function readVersions() {
  return {
    perfBattle: await packageVersion(),
    node: process.version,
    rabbitmq: null,
    erlang: null,
    amqplib: await libraryVersion('amqplib'),
    ws: await libraryVersion('ws'),
    express: await libraryVersion('express'),
  };
}

/**
 * Read from the library's folder: its package.json need not be among its exports.
 * @param {string} name
 * @returns {Promise<string | null>}
 */
async function libraryVersion(name) {
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    const text = await readFile(`${folder}/${name}/package.json`, 'utf8').catch(() => null);
    if (text) return JSON.parse(text).version;
  }
  return null;
}
