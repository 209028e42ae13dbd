/** @import {Option} from '../options/option.js' */

/**
 * A transport: its two halves, and what must be known of them before one is loaded. To add one, write a folder here: `index.js` exports this
 * declaration, `server.js` exports `serve` and `client.js` exports `connect`. List it in index.js beside this file.
 *
 * @template [Own=any] its own settings, inferred from its options
 * @typedef {object} Transport
 * @property {string} name
 * @property {string} label its name in tables
 * @property {(variant: Own) => string} [labelOf] its name in tables, where the settings determine it
 * @property {readonly Option[]} options its own; those with a label make its variants
 * @property {readonly Capability[]} capabilities
 * @property {string | null} broker the kind of broker that it needs; null: none, or `brokersOf` says
 * @property {(settings: any) => string[]} [brokersOf] the kinds that it needs with the settings of a battle, of a script or of a variant; there if they
 *   determine it
 * @property {(settings: any) => Partial<Own>[]} [together] the values that belong together of options that a battle has lists of; by default each
 *   combination of their values is a variant
 * @property {boolean} [isOptIn] whether a battle includes it only on request
 * @property {string} [impliedBy] the key of an option that adds this transport to those of a battle
 * @property {() => Promise<{connect: Connect}>} [client] loads the client's half, with its library; absent if it runs programs
 * @property {() => Promise<{serve: Serve}>} [server] loads the server's half
 * @property {boolean} [runsPrograms] whether its roles are programs of other authors, which know only a part of the workloads
 * @property {boolean} [needsOneHost] whether client and server must run on the same host
 * @property {(processes: number) => string | null} [refuseProcesses] why this host cannot run so many clients and servers; null if it can
 * @property {readonly string[]} libraries npm packages whose versions are part of the record
 * @property {TransportModule} [module] where one that a person brings comes from
 * @property {boolean} [isFloor] the transport that all others are compared with; there is one
 * @property {boolean} [mayBeatFloor] whether it may be faster than the floor, because it does not use TCP or not Node.js
 * @property {(variants: readonly Own[]) => string[]} [notesOn] notes below a table with these variants, each a paragraph
 * @property {(variant: Own) => Partial<Own>} [complete] adds the settings that follow from others
 * @property {(variant: Own) => readonly string[]} [ignores] keys of its options that have no effect with these settings
 * @property {(variant: Own) => string | null} [refuse] why this combination of settings is not supported; null if it is
 * @property {(values: Partial<Own>, ends: {hasBothEnds: boolean}) => void} [checkFiles] throws a UsageError if the files that its settings name do
 *   not go together; those of a script of another transport are missing. hasBothEnds: the settings are those of the servers and of the clients
 * @property {boolean} [connectsPerRequest] whether each request in flight has a connection of its own
 * @property {(variant: Own) => boolean} [boundsSends] whether a window bounds the one-way messages that wait for a confirmation
 * @property {(variant: Own) => string[]} [details] labels of a row, beside those of options with another value than the default
 * @property {(variant: Own) => string | null} [qualifier] distinguishes its default variants where no column does
 * @property {(payloadBytes: number, variant: Own) => number} [roundTripMs] about how long a round trip takes on two idle cores, for estimates
 * @property {(variant: Own) => string | null} [persistent] the text of the Persistent column; default *N/A*
 */

/**
 * @typedef {object} TransportModule
 * @property {string} specifier as the person named it
 * @property {string} url of the file
 * @property {string | null} package the name of its package; null: it is in none
 * @property {string | null} version of that package
 *
 * @typedef {'request' | 'send' | 'store'} Capability request: with a reply; send: one way; store: a queue that keeps messages
 *
 * @typedef {Readonly<Record<string, unknown>>} AnyVariant the settings in force of any transport, by the option's key
 *
 * @typedef {object} Reply how a server answers one request: by chunks and an end, or only by an end
 * @property {(chunk: Buffer) => boolean} write sends a part of the reply; false: wait for `drained` before the next
 * @property {() => Promise<void>} drained
 * @property {(chunk?: Buffer) => void} end sends the last part or the whole reply; without a chunk and without parts there is no reply
 *
 * The settings of its options, and those that reach its broker, come with those below.
 * @typedef {(options: any) => Promise<Client>} Connect gets ConnectSettings
 * @typedef {(options: any, onRequest: OnRequest) => Promise<Server>} Serve gets ServeSettings
 *
 * @typedef {(request: Buffer, reply: Reply) => void} OnRequest
 *
 * @typedef {object} Server
 * @property {string | null} address host:port that clients connect to; null: they use the broker
 * @property {Promise<void>} closed rejects if the server ends unexpectedly
 * @property {Record<string, unknown>} [details] settings that only the running process knows, by key
 * @property {string | null} [certificate] PEM, of a server with TLS
 * @property {() => number} [retransmissions] as those of a client, to all clients together
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Client
 * @property {(payload: Buffer, parts?: {onChunk: (chunk: Buffer) => void}) => Promise<Buffer>} request rejects if the connection
 *   ends. With onChunk, the parts of a reply are passed on as they arrive, and the promise resolves with the last one
 * @property {(payload: Buffer, waiting: Waiting) => void} ask the same without a promise
 * @property {(waiting: Waiting) => void} [abandon] gives up the reply to an `ask`; present if the connection would otherwise keep
 *   waiting for it
 * @property {() => number} [connections] how many it has opened so far; present if their number depends on the load
 * @property {() => number} [retransmissions] how often it has sent something again so far; present if that is its own task, and not that of TCP
 * @property {(payload: Buffer) => boolean} [send] sends one way; false: wait for `drained` before the next
 * @property {() => Promise<void>} [drained] resolves when there is room again
 * @property {() => Promise<{confirmed: number | null}>} [flushed] resolves when everything was handed over; confirmed: number of
 *   messages that the other end has confirmed; null: it confirms none
 * @property {Store} [store]
 * @property {Promise<void>} closed rejects if the connection ends unexpectedly
 * @property {Record<string, unknown>} [details] settings that only the running process knows, by key
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Waiting callbacks for the reply to one request
 * @property {(reply: Buffer) => void} resolve
 * @property {(error: Error) => void} reject the connection ended; may be called more than once
 * @property {((chunk: Buffer) => void) | null} onChunk receives the parts of a reply in several messages; an empty part ends it
 * @property {Abandonable | null} [exchange] set by a client that has `abandon`
 *
 * @typedef {{abandon(): void}} Abandonable the request in flight, as its client keeps it
 *
 * @typedef {object} Store a durable queue that belongs to the client
 * @property {(payload: Buffer) => boolean} put false: wait for `drained` before the next
 * @property {() => Promise<void>} drained
 * @property {() => Promise<{confirmed: number | null}>} flushed resolves when the broker has everything
 * @property {boolean} awaitsConfirms whether a message counts as put only when the broker has confirmed it
 * @property {(count: number, onMessage: (payload: Buffer) => void, how?: {stay?: boolean}) => Promise<void>} take consumes that
 *   many messages; stay: keeps the consumer for the next call
 *
 * @typedef {object} ConnectSettings what a client gets, in addition to the settings of its transport
 * @property {readonly string[]} servers host:port of each, the client's own first
 * @property {number} concurrency maximum number of requests in flight
 * @property {Correlation | null} correlation
 * @property {boolean} hasServer false: the client only uses the broker
 * @property {boolean} noDelay TCP_NODELAY
 * @property {number} greetingMs how long the other end may take to accept the connection
 * @property {number} [window] maximum number of one-way messages that wait for a confirm
 * @property {readonly string[]} [certificates] PEM, of the servers with TLS
 * @property {object | null} [broker] how to reach it
 * @property {Readonly<Record<string, string>>} [files] contents of certificates and keys, by the path that a setting names
 *
 * @typedef {object} ServeSettings what a server gets, in addition to the settings of its transport
 * @property {string | null} listenAddress null: all addresses
 * @property {number} serverPort 0: a free one
 * @property {boolean} noDelay TCP_NODELAY
 * @property {object | null} [broker] how to reach it
 * @property {Readonly<Record<string, string>>} [files] contents of certificates and keys, by the path that a setting names
 *
 * @typedef {object} Correlation matches replies with requests if the protocol has no ids and several requests are in
 *   flight; null: replies arrive in the order of the requests
 * @property {(request: Buffer) => number} ofRequest
 * @property {(reply: Buffer) => number} ofReply
 * @property {() => void} onStray a reply to no outstanding request arrived
 */
