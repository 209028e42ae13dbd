/** @import {CpuRule} from '../results/cell-figures.js' */

/** What the CPU per message of a workload counts; each workload names one of these. */

/** The CPU of all roles, each by its messages. @type {CpuRule} */
export const everyRole = {countsClient: true, brokerMessages: 'received'};

/** The generator of an open loop spins its event loop to be on time, so its CPU says nothing of the transport. @type {CpuRule} */
export const spinningClient = {countsClient: false, brokerMessages: 'received'};

/** A search sends more messages than those of the rate that it found, which are the ones that count. @type {CpuRule} */
export const search = {countsClient: false, brokerMessages: 'served'};
