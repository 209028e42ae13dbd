/**
 * The contract of a broker kind. Everything that the program knows of RabbitMQ is in `rabbitmq/`, and likewise for each other kind. To add
 * one, write a folder with an entry (`BrokerKind`) and a driver (`BrokerDriver`), `infra/<kind>/install.sh`, and list the entry in `index.js`.
 *
 * @import {Host} from '../hosts/host.js'
 * @import {Option} from '../options/option.js'
 * @import {Settings} from '../options/resolve.js'
 * @import {ProcessTimes} from '../measure/process-times.js'
 */

/**
 * What any role needs to connect. A kind adds what only it knows, such as users and passwords.
 * @typedef {object} BrokerConnection
 * @property {string} hostname a name or an address; IPv6 without brackets
 * @property {number} port
 */

/**
 * The entry of a kind. It only declares: planning and help load it too.
 * @template {BrokerConnection} [Connection=any]
 * @template [Own=any] the values of its options
 * @typedef {object} BrokerKind
 * @property {string} name as `broker` of a transport says it; also the folder of its install script below `infra/`
 * @property {string} label its name in messages: RabbitMQ
 * @property {string} program what a private one needs to be installed: rabbitmq-server
 * @property {string} [install] how a person installs the program of a kind that is not part of perf-battle
 * @property {string} [url] of the module of one that is not part of perf-battle
 * @property {readonly string[]} schemes of its URLs: amqp, amqps
 * @property {readonly Option[]} options all options of the kind
 * @property {Option} urlOption the one of them that takes a whole URL
 * @property {readonly Option[]} addressOptions those of them that name a broker: setting one is enough
 * @property {readonly Option[]} nameOptions those of them that name what a run creates on the broker; a battle makes the defaults
 *   unique for each trial
 * @property {readonly string[]} versions the names under which the record has the versions that it reports; the first is the broker's own
 * @property {Connection} local where to look for one on this host, with the default user
 * @property {(values: Own) => Connection} connectionFrom the connection that these settings describe
 * @property {(url: string) => Readonly<Record<string, unknown>>} [settingsOfUrl] the other settings that its URL gives, by the option's key
 * @property {(connection: Connection) => void} [checkFiles] throws a UsageError if the files that a connection names do not go together
 * @property {(connection: Connection) => string} mask the connection as a URL without its password
 * @property {(values: Own) => number} nodes how many nodes a private one has
 * @property {<Whole extends Settings>(settings: Whole) => Whole} [clusterDefaults] the settings that follow from more than one node, unless the person
 *   chose others; there for a kind that can be a cluster
 * @property {number} [minMemoryBytes] about what a private one and its queues need; there if that is worth a word
 * @property {number} [minFreeBytes] a private one takes no messages while the disk has less
 * @property {() => Promise<BrokerDriver<Connection>>} load
 */

/**
 * What can be done with a broker of this kind. It is loaded only when one is needed.
 * @template {BrokerConnection} [Connection=any]
 * @typedef {object} BrokerDriver
 * @property {(connection: Connection, bounds: {timeoutMs: number, signal: AbortSignal}) => Promise<Greeting>} greet connects once, and
 *   closes again
 * @property {(connection: Connection, bounds: {timeoutMs: number, signal: AbortSignal}) => Promise<string | null>} [readAlarm] why the broker
 *   takes no messages now; null: it does; missing for a kind that has no such state
 * @property {(connection: Connection, pairs: readonly PairNames[], bounds: {timeoutMs: number, signal?: AbortSignal}) => Promise<void>} [removeLeft]
 *   deletes what the roles of pairs that have ended may have left on a broker; missing for a kind on which nothing stays
 * @property {(bytes: Buffer) => boolean} [beginsMessage] whether a message begins in these first bytes of a TCP segment, in either direction; missing
 *   for a kind whose messages are not recognized on the wire
 * @property {RegExp} processName how the operating system calls the process whose CPU time is read
 * @property {() => Promise<string[]>} programFolders where to look for the program of a private one, the best first
 * @property {(hostnames: readonly string[], asked: PrivateSize) => HostPlan[]} planHosts what each host runs of a private one
 * @property {(plan: any, folder: HostFolder, signal: AbortSignal) => Promise<RunningHost<Connection>>} startOnHost starts what one
 *   host runs of it; nothing of it runs when the promise rejects
 */

/**
 * @typedef {object} PairNames the names that a pair of a battle uses on the broker
 * @property {any} names by the keys of the kind's nameOptions; and `pair`, which is unique
 * @property {number} clients how many it has at most
 * @property {boolean} isUnique whether no other program can have the same names: the user chose none
 */

/**
 * @typedef {object} Greeting what a broker says of itself
 * @property {string | null} product
 * @property {Record<string, string | null>} versions
 * @property {any} [connection] to the one that answered, where several were named
 *
 * @typedef {object} PrivateSize
 * @property {number} nodes how many on all hosts together, at least one a host
 * @property {number | undefined} memoryBytes the memory that the nodes assume their host to have; default what it has
 *
 * @typedef {object} HostPlan plain data, because it is sent to the supervisor on that host; a kind adds what its nodes need
 * @property {string} hostname the name or address under which the roles reach the nodes
 *
 * @typedef {object} HostFolder
 * @property {string} folder of the private broker on this host
 * @property {string} program path of the kind's program
 * @property {string | null} setpriv path of `setpriv`, which ties a process's life to its parent's (Linux)
 */

/**
 * What one host runs of a private broker.
 * @template {BrokerConnection} [Connection=any]
 * @typedef {object} RunningHost
 * @property {RunningNode<Connection>[]} nodes in their order
 * @property {Promise<string>} ended resolves with the reason when a process that the nodes need ends
 * @property {() => Promise<void>} end by SIGKILL: nothing that they hold is wanted
 * @property {() => Promise<void>} verify rejects when a node does not see the whole cluster
 */

/**
 * @template {BrokerConnection} [Connection=any]
 * @typedef {object} RunningNode
 * @property {number} pid of the process whose CPU time counts
 * @property {Connection} connection
 * @property {Record<string, string | null>} versions
 */

/**
 * A broker in use by a run, until it is released.
 * @template {BrokerConnection} [Connection=BrokerConnection]
 * @typedef {object} Broker
 * @property {string} kind the name of its kind
 * @property {'given' | 'found' | 'private'} source
 * @property {readonly Host[] | null} hosts of the nodes of a private one; null for others
 * @property {Connection} connection to its first node
 * @property {readonly Connection[]} connections to each of its nodes; of one that was given or found, that one
 * @property {string} label for messages, without the password
 * @property {Record<string, string | null>} versions
 * @property {() => Promise<ProcessTimes | null>} readTimes of the processes of all its nodes together; null where those of one are not available
 * @property {string | null} instance of these processes when it was obtained, as `readTimes` has it; null where it is not known
 * @property {boolean} [isReplacement] whether another private broker of the same battle has died before it
 * @property {number | null} pid of its first node's process; null on another host, or when it was not found
 * @property {Promise<string>} died resolves with a reason when a node of a private broker ends unasked; never for other brokers
 * @property {() => Promise<void>} release idempotent; when it resolves, a private broker has ended and its folder is removed
 */
