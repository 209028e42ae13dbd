/** @import {CpuRule} from '../results/cell-resources.js' */

/** What the CPU per message counts. Each workload chooses one of these rules. */

/** All roles, each divided by its messages. @type {CpuRule} */
export const everyRole = {countsClient: true, brokerMessages: 'received'};

/** The client of an open loop spins its event loop to send on time, so its CPU says nothing about the transport. @type {CpuRule} */
export const spinningClient = {countsClient: false, brokerMessages: 'received'};

/** A search also sends messages at rates that it does not report, so only the servers know how many the broker handled. @type {CpuRule} */
export const search = {countsClient: false, brokerMessages: 'served'};
