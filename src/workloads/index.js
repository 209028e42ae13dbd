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

export const defaultWorkload = rtt.name;

/** Adds the workload to the name of a cell, unless it is the default. @param {string} name @param {string} workload */
export function withWorkload(name, workload) {
  return workload === defaultWorkload ? name : `${name}, ${workload}`;
}

/** Over raw TCP with these settings, the workload shows the capacity of a link. */
export const linkWorkload = stream;
export const linkVariant = plainTransfer;

/** The workload of messages without replies, sent as fast as possible. */
export const oneWayWorkload = stream.name;

/** The workload of requests that a cache of the client answers in part. */
export const cachedWorkload = cached.name;

/** The workload of requests for rows that the client decodes. */
export const rowsWorkload = recordset.name;

/** In the order of the help. */
export const workloadNames = registry.map(({name}) => name);

/** @type {Readonly<Record<string, Workload>>} */
export const workloads = Object.fromEntries(registry.map((workload) => [workload.name, workload]));

/** Returns whether each message of a cell has a latency. @param {{workload: string, variant: object}} cell */
export function hasLatencies({workload, variant}) {
  return workloads[workload].latenciesWith?.has(variant) ?? true;
}

export const workloadOptions = [
  ...new Set(registry.flatMap(({options}) => /** @type {readonly WorkloadOption[]} */ (options))),
];

/** The options that only workloads with a load of their own under faults have. */
export const workloadOptionsUnderFaults = workloadOptions.filter((one) =>
  Object.values(workloads).every(({options, underFaults}) => underFaults || !options.includes(one)),
);
