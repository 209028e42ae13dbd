import {cached} from './cached/index.js';
import {fanOut} from './fan-out/index.js';
import {maxRate} from './max-rate/index.js';
import {pipeline} from './pipeline/index.js';
import {queue} from './queue/index.js';
import {recordset} from './recordset/index.js';
import {rtt} from './rtt/index.js';
import {plainTransfer, stream} from './stream/index.js';

/** @import {Workload} from './workload.js' */

const registry = [rtt, pipeline, stream, queue, fanOut, cached, recordset, maxRate];

/** @typedef {typeof registry[number]['name']} WorkloadName */

/** @typedef {typeof registry[number]['options'][number]} WorkloadOption */

/** The default of --workload. */
export const defaultWorkload = rtt.name;

/** The name of a cell goes on with its workload, unless that is the default. @param {string} name @param {string} workload */
export function withWorkload(name, workload) {
  return workload === defaultWorkload ? name : `${name}, ${workload}`;
}

/** With raw TCP, it shows what a link carries, with these settings. */
export const linkWorkload = stream;
export const linkVariant = plainTransfer;

/** Of messages without replies, as fast as they can be sent. */
export const oneWayWorkload = stream.name;

/** Of requests of which a cache of the client answers a share. */
export const cachedWorkload = cached.name;

/** Of requests for rows, which the client decodes. */
export const rowsWorkload = recordset.name;

/** In the order in which help lists them. */
export const workloadNames = registry.map(({name}) => name);

/** @type {Readonly<Record<string, Workload>>} */
export const workloads = Object.fromEntries(registry.map((workload) => [workload.name, workload]));

/** Whether each message of a cell has a latency. @param {{workload: string, variant: object}} cell */
export function hasLatencies({workload, variant}) {
  return workloads[workload].latenciesWith?.has(variant) ?? true;
}

/** The options of all workloads, each once. */
export const workloadOptions = [
  ...new Set(registry.flatMap(({options}) => /** @type {readonly WorkloadOption[]} */ (options))),
];
