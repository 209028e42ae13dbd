/**
 * What a trial found, as the battle hands it to the journal and the figures of a cell are computed from it.
 *
 * @import {Counts, Timed} from '../measure/counts.js'
 * @import {Consumption, Interference} from '../measure/usage.js'
 * @import {EncodedHistogram} from '../stats/histogram.js'
 */

/**
 * @typedef {Latency & TrialFigures} MeasuredTrial
 *
 * @typedef {{[Field in keyof EncodedHistogram]: EncodedHistogram[Field] | null} & {samples: number}} Latency of all clients; null, and no
 *   samples, where nothing comes back or no latency is known
 *
 * @typedef {object} TrialFigures
 * @property {number} figureMs what trials are compared by: the mean latency, or the time per message
 * @property {number} messagesPerSecond by the wall clock
 * @property {number} summedPerSecond the sum of what each client, or each server, had by its own time
 * @property {number} wallMs from the first client's begin to the last one's end
 * @property {Record<string, EncodedHistogram>} beside other distributions, by names that the workload declares
 * @property {Record<string, Timed>} phases parts that are timed apart, likewise
 * @property {Record<string, number>} notes other figures, likewise
 * @property {Counts} counts
 * @property {string | null} mismatch what was wrong with the first wrong message
 * @property {number} discarded requests of the warm-up
 * @property {number[] | null} [windows] means in ms of ten parts of the samples, with equal numbers of samples; null where there are too few
 *   or the clients have none; missing in a journal of version 0.1.0
 * @property {boolean} [warm] of version 0.1.0: whether the median had settled when the warm-up ended
 * @property {number} served requests that reached the servers
 * @property {{clockBoundMs: number, withheld?: boolean} | null} oneWay of one-way messages between hosts: how far their clocks may be apart;
 *   withheld: of older versions, which stored no latencies that were no longer than that
 * @property {{client: RoleUsage, server: RoleUsage | null, broker: CpuTimes | null}} usage null where it is not known
 * @property {HostLoad[]} hostLoads
 * @property {number | null} [lostShare] the largest share, over the processes of the roles, of the time in which one was ready to run and others kept
 *   it from running; null where the system does not tell; not there in journals of version 0.1.0
 * @property {number | null} [foreignShare] the largest share of a host's CPU that other processes used, over the hosts on which several
 *   processes of the trial ran; null where it is not known; missing in journals of version 0.1.0
 * @property {number | null} [startSkewMs] from the start of the first client's measured part to that of the last one; null for one client
 * @property {TrialAnatomy | null} [anatomy] what the mean round trip consists of; null where that was not asked for, or is not known
 * @property {number | null} [tcpRetransmits] segments that TCP sent again on the hosts of the roles; null where it is not known
 * @property {number | null} [retransmissions] what the transport itself sent again; null where it leaves that to TCP
 * @property {number | null} [linkBytesPerSecond] that had to wait for each other on the link between the hosts; null within one host, and where
 *   it is not known
 * @property {boolean | null} [brokerRestarted] whether the broker is another one than when the battle began: it was restarted, or replaced; null where
 *   that is not seen, or without a broker
 * @property {number} [slices] in which it was measured, in turn with other trials; missing: in one piece
 * @property {number} [floorMs] what raw TCP took that was measured beside it; missing: its ratio is to the trial of raw TCP in the same round
 * @property {Record<string, unknown>} details settings that only the running processes know, by key
 *
 * @typedef {object} TrialAnatomy means
 * @property {number} requestMs from the client to the server's handler
 * @property {number} handlerMs in it
 * @property {number} replyMs back
 * @property {number} clockBoundMs how far the clocks of the two ends may be apart, 0 on one host
 * @property {HopMeans | null} [hops] both ways at the broker; null where they are not known, missing without a broker
 * @property {string | null} [noHops] why they are not known
 *
 * @typedef {{request: WayByBroker, reply: WayByBroker}} HopMeans
 * @typedef {{beforeMs: number, brokerMs: number, afterMs: number}} WayByBroker until the broker has the whole message, until it begins to send it on,
 *   and from there
 *
 * @typedef {Omit<Consumption, 'host'> & {checkingMs?: number} & Partial<Interference>} RoleUsage of all processes of a role
 *
 * @typedef {{userMs: number, systemMs: number, maxRssBytes: number | null}} CpuTimes maxRssBytes: the peak over the measured part
 *
 * @typedef {object} PlacementRecord the cores on which the processes of a role ran, on each of its hosts; null: any, or there is no such role
 * @property {number[] | null} client
 * @property {number[] | null} server
 * @property {number[] | null} broker
 * @property {'main' | 'all'} [threads] main: of the roles, only the threads that run their JavaScript were held there; missing: all
 *
 * @typedef {'awake' | 'sleeping'} CoreState whether the cores of a trial were kept awake
 *
 * @typedef {object} HostLoad what a host had to do while it was measured
 * @property {string} host its name
 * @property {number} busyMs CPU time of all that ran there
 * @property {number} stealMs that the hypervisor gave to others
 * @property {number} capacityMs of its cores together
 * @property {number | null} oursMs of busyMs, what roles and broker used; null where the broker's part is not known
 * @property {number | null} [foreignMs] what other processes used, at least; null likewise; missing in journals of version 0.1.0
 */

/**
 * The distributions of every open loop: latency from when a message was sent, and how late it was sent.
 * @template Distribution
 * @typedef {{service: Distribution, sendLag: Distribution}} OpenLoopDistributions
 */

/**
 * @typedef {{askedPerSecond: number, connectionsOpened?: number}} OpenLoopNotes askedPerSecond: the rate that the schedule came to: random
 *   arrivals are more or less frequent than asked; connectionsOpened: while it was measured, if their number depends on the load
 */

/**
 * A completed trial, as the journal keeps it. Only in journals of version 0.1.0: stealShare, the share of its host that the hypervisor took;
 * and repeat, of a trial that has the round of the disturbed one. Such journals have no placement.
 * @typedef {{outcome: 'completed', startedAt: string, round: number, repeat?: boolean, disturbed: boolean, stealShare?: number | null,
 *   placement?: PlacementRecord | null, coreState?: CoreState} &
 *   MeasuredTrial} JournalTrial
 */
