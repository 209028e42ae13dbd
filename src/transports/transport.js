/** @import {Option} from '../options/option.js' */

/**
 * A transport: a pair of scripts and this description of them. To add one, write `src/<name>-server.js`, `src/<name>-client.js` and a file here
 * that describes them, and list that in index.js.
 *
 * @template [Own=any] its own settings, inferred from its options
 * @typedef {object} Transport
 * @property {string} name
 * @property {string} label how the tables call it
 * @property {readonly Option[]} options its own; those with a label make its variants
 * @property {readonly Capability[]} capabilities
 * @property {string | null} broker the kind of broker that it needs
 * @property {boolean} [isOptIn] whether a battle has it only when asked
 * @property {readonly string[]} libraries of npm, whose versions the record names
 * @property {boolean} [isFloor] the transport that all others are compared with; there is one
 * @property {(variants: readonly Own[]) => string[]} [notesOn] what a reader of the table must know about the variants in it, in lines
 * @property {(variant: Own) => Partial<Own>} [complete] fills in the settings that follow from others
 * @property {(variant: Own) => readonly string[]} [ignores] its options, by key, that have no effect beside these settings
 * @property {(variant: Own) => string | null} [refuse] why this combination of settings cannot be
 * @property {boolean} [connectsPerRequest] whether each request in flight has a connection of its own
 * @property {(variant: Own) => boolean} [boundsSends] whether one-way messages are bounded by a window: each waits for a sign
 * @property {(variant: Own) => string[]} [details] what a row must name besides the options that are not the default
 * @property {(variant: Own) => string} [qualifier] what tells its usual variants apart where there is no column for it
 * @property {(variant: Own) => string} [persistent] what the Persistent column says; *N/A* unless given
 */

/**
 * @typedef {'request' | 'send' | 'store'} Capability request: with a reply; send: one way; store: a queue that keeps messages
 *
 * @typedef {Readonly<Record<string, unknown>>} AnyVariant the settings in force of any transport, by the option's key
 *
 * @typedef {object} Reply how a server's script answers one request: with chunks and an end, or an end alone
 * @property {(chunk: Buffer) => boolean} write a part of the reply; false: `drained` first
 * @property {() => Promise<void>} drained
 * @property {(chunk?: Buffer) => void} end the last part, or the whole reply; without one and nothing written before: no reply
 *
 * @typedef {(request: Buffer, reply: Reply) => void} OnRequest
 *
 * @typedef {object} Server
 * @property {string | null} address host:port that clients connect to; null when they go through a broker
 * @property {Promise<void>} closed rejects on an unasked death
 * @property {Record<string, unknown>} [details] settings that only the running process knows
 * @property {string | null} [certificate] PEM, of a server with TLS
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Client
 * @property {(payload: Buffer, parts?: {onChunk: (chunk: Buffer) => void}) => Promise<Buffer>} request rejects when the connection
 *   dies; with onChunk, a reply of several parts is handed over as they come, and the last is what it resolves with
 * @property {(payload: Buffer, waiting: Waiting) => void} [ask] the same request, without a promise of its own
 * @property {(reply: Promise<Buffer>) => void} [abandon] nobody waits for this reply any more; there where a connection would wait on
 * @property {(payload: Buffer) => boolean} [send] one way; false: `drained` first
 * @property {() => Promise<void>} [drained] may be waited for after each send that returned false
 * @property {() => Promise<{confirmed: number | null}>} [flushed] resolves when all sent was handed over; confirmed: how many messages
 *   the other end has confirmed; null where it does not
 * @property {Store} [store]
 * @property {Promise<void>} closed rejects on an unasked death
 * @property {Record<string, unknown>} [details] settings that only the running process knows
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Waiting what is told of the reply to one request
 * @property {(reply: Buffer) => void} resolve
 * @property {(error: Error) => void} reject when the connection dies; may come more than once
 * @property {((chunk: Buffer) => void) | null} onChunk takes the parts of a reply that comes in several messages, until an empty one
 *
 * @typedef {object} Store a durable queue of the client's own
 * @property {(payload: Buffer) => boolean} put false: `drained` first
 * @property {() => Promise<void>} drained
 * @property {() => Promise<{confirmed: number | null}>} flushed all that was put is the broker's
 * @property {boolean} awaitsConfirms whether a message counts as put only when the broker has confirmed it
 * @property {(count: number, onMessage: (payload: Buffer) => void, how?: {stay?: boolean}) => Promise<void>} take consumes so many
 *   messages; stay: the consumer is there for the next call, else it goes
 *
 * @typedef {object} ConnectSettings what a client is given, beside the settings of its transport
 * @property {readonly string[]} servers host:port of each, the client's own first
 * @property {number} concurrency how many requests are in flight at most
 * @property {Correlation | null} correlation
 * @property {boolean} hasServer false: the client talks to the broker alone
 * @property {boolean} noDelay TCP_NODELAY
 * @property {number} greetingMs how long the other end may take to accept the connection
 * @property {number} [window] how many one-way messages may wait for a confirm
 * @property {readonly string[]} [certificates] PEM, of the servers with TLS
 * @property {object | null} [broker] how to reach it
 *
 * @typedef {object} ServeSettings what a server is given, beside the settings of its transport
 * @property {string | null} listenAddress null: all addresses
 * @property {number} serverPort 0: a free one
 * @property {boolean} noDelay TCP_NODELAY
 * @property {object | null} [broker] how to reach it
 *
 * @typedef {object} Correlation how a reply is matched with its request where the protocol has no ids and more than one is
 *   outstanding; null: in the order of the requests
 * @property {(request: Buffer) => number} ofRequest
 * @property {(reply: Buffer) => number} ofReply
 * @property {() => void} onStray a reply came that nobody waits for
 */
