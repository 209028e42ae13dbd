/** @import {CpuRule} from '../results/cell-resources.js' */

/** What the CPU per message counts. Each workload chooses one of these rules. */

/** All roles, divided by all messages. @type {CpuRule} */
export const everyRole = {countsClient: true, countedAs: 'received'};

/** The client of an open loop spins its event loop to send on time, so its CPU says nothing about the transport. @type {CpuRule} */
export const spinningClient = {countsClient: false, countedAs: 'received'};

/** A search also sends messages at rates that it does not report, so only the servers know how many they and the broker handled. @type {CpuRule} */
export const search = {countsClient: false, countedAs: 'served'};
