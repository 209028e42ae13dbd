/** Made from declarations by `npm run generate`. */

/** As on a command line: 2, '10ms', '1kb,2kb', ['http', 'tcp'], true. */
type Given = string | number | boolean | readonly (string | number)[];

/** The options of a battle by their flags, in camel case: `deliveryMode` for `--delivery-mode`. */
export interface BattleSettings {
/** The transports to compare, or a group of them. Raw TCP, the floor, always runs too. With all, the defaults are those of --quick, with rtt and pipeline at 1 and 100 KB and a budget of 11.5 minutes. A path or the name of an npm package is a transport of your own (perf-battle help your-own-transport). Any of: tcp, http, http2, grpc, sse, websocket, socketio, zeromq, rabbitmq, amqp1, rabbitmq-stream, stomp, nats, jetstream, mqtt, redis, kafka, udp, unix, posix-mq, shared-memory, worker, external, by-url, all, default, http-family, brokers, local. */
  transport?: Given | undefined;
/** Run the workload of a published benchmark and show its figures next to the measured ones. all: a battle for each preset, one after the other, within one --budget. perf-battle table --preset shows the figures again. See --list-presets. One of: perf-battle-2016, endurox-rpc, endurox-oneway, endurox-01, endurox-02, endurox-03, endurox-04, endurox-05, endurox-06, coralmq, socketpro-echo, socketpro-recordset, socketpro-queue, endurox-ha-main, endurox-ha-servers, all. */
  preset?: Given | undefined;
/** Multiply the message counts of a preset by this number: 0.01 makes a short run. auto: the largest scale estimated to fit the --budget, or 5 minutes without a budget. */
  scale?: Given | undefined;
/** Passes over all variants, each in a new random order. By default at least 5; --precision and --budget then determine how many more. */
  rounds?: Given | undefined;
/** After 5 rounds, add rounds of the variants with wider intervals, until the 95 % interval of every mean is within this share of the mean. */
  precision?: Given | undefined;
/** The time that a battle may take: after 5 rounds, no round begins that would end later. With --rounds there is no limit unless you set one. --resume starts a new budget. */
  budget?: Given | undefined;
/** In each round, one pair of processes measures all payload sizes of a variant (variant), or each cell has its own pair (cell). One of: variant, cell. */
  pairPer?: Given | undefined;
/** Measure the cells of a round in turn, in short slices, so that a disturbance of the host affects all alike. off: measure one cell after the other, without slices. */
  slices?: Given | undefined;
/** A first look: at least 3 rounds of 200 ms for each size, until each mean is within ± 10 % or 23 s are over. The warm-up sends small requests for at most 3 s. */
  quick?: Given | undefined;
/** The broker to use. auto: the broker given by PB_RABBITMQ_URL, PB_NATS_URL, PB_REDIS_URL, PB_MOSQUITTO_URL, PB_KAFKA_URL, PB_ARTEMIS_URL or by the other settings of its kind; otherwise a broker that answers on this host; otherwise a private broker. private: a private broker, started for this battle only. */
  broker?: Given | undefined;
/** Run the clients on these hosts, over ssh. Several hosts take turns; --clients defaults to the number of hosts. By default clients run on this host. */
  clientOn?: Given | undefined;
/** Run the servers on these hosts, over ssh. Several hosts take turns; --servers defaults to the number of hosts. By default servers run on this host. */
  serverOn?: Given | undefined;
/** Start a private broker on these hosts, over ssh. Several hosts take turns with its nodes; --broker-nodes defaults to the number of hosts. By default the broker runs on the host of the first server. */
  brokerOn?: Given | undefined;
/** The address under which the roles reach the host of the private broker, if it differs from the address that ssh connects to. A cluster on several hosts needs an IPv4 address for each host. The nodes use these addresses too. */
  brokerAddress?: Given | undefined;
/** The configuration file for ssh, instead of your own. */
  sshConfig?: Given | undefined;
/** The cores on which roles run: auto; main; none; or the cores of client, server and private broker, such as 0/1 or 0/1/2-3. main: the main thread of each client and server has its own core. The broker has the other cores, if there are two. auto: main on an idle host with enough cores; otherwise none. */
  pin?: Given | undefined;
/** The text of the Environment column. By default cross-host if roles run on different hosts, or EC2 if all of these hosts are EC2 instances. */
  environment?: Given | undefined;
/** The name of the RTT column. By default the instance type on EC2, and the CPU elsewhere. */
  machine?: Given | undefined;
/** The file to whose table the rows are appended. The journal is next to it and ends in .ndjson. */
  results?: Given | undefined;
/** A text to keep in the records, such as the measured commit. perf-battle report --history shows this text at each point. */
  label?: Given | undefined;
/** Continue the interrupted battle in the journal with its own configuration. */
  resume?: Given | undefined;
/** With --resume: continue a battle that another user, host or container began, without asking. Nothing on this host shows whether the battle still runs there. The programs and hosts named in its journal are used as if you had typed them. */
  takeOver?: Given | undefined;
/** Also write: endurox: data files for the charts of the Enduro/X benchmark, in a folder endurox next to the results; hlog: an HdrHistogram interval log, ending in .hlog; prometheus: the figures as gauges of Prometheus, ending in .prom. Any of: endurox, hlog, prometheus. */
  export?: Given | undefined;
/** The name of the configuration in exported data files, after the name of the variant. By default environment and machine. */
  exportConfiguration?: Given | undefined;
/** Bounds that the figures must meet: the exit code is 4 if an expectation fails, and 5 if none fails, but one cannot be judged. perf-battle help ci explains expectations. */
  expect?: Given | undefined;
/** During the battle, serve its figures to Prometheus at this port of 127.0.0.1 (or of ::1, with IPv6 only), as of the last finished round. 0: any free port. */
  metricsPort?: Given | undefined;
/** Size of the request and of its reply. */
  payload?: Given | undefined;
/** Send the content of this file instead of seeded pseudo-random bytes. The first 8 bytes are replaced by a sequence number. */
  payloadFile?: Given | undefined;
/** What is sent, and when. rtt: one request in flight at a time; pipeline: up to --window requests in flight; stream: one way, counted and timed by the receiver; queue: N messages into a durable queue, then out of it; fan-out: one publisher and several subscribers, until the last subscriber has the message; cached: requests through a client-side cache; recordset: answers of many rows, decoded by the client; max-rate: the highest rate that keeps a p99 (--find-max-rate). Any of: rtt, pipeline, stream, queue, fan-out, cached, recordset, max-rate. */
  workload?: Given | undefined;
/** Messages per trial, instead of a duration. Scripts run by hand default to 5000, unless a duration is given. */
  samples?: Given | undefined;
/** How long each trial is measured. By default 1 s; in slices 250 ms in the first three rounds, and then the time that narrows the intervals of ratios most for its cost. */
  duration?: Given | undefined;
/** Round trips before each trial that do not count. auto: each pair of processes first sends 6000 requests of 1kb, for at most 6 s. Each payload size then takes 100 ms, from 100kb up 150 ms, and in slices another 100 ms in turn with the others, from 100kb to below 500kb 300 ms. A number without a unit is a number of round trips. */
  warmup?: Given | undefined;
/** A request without a reply within this time counts as timed out. */
  timeout?: Given | undefined;
/** The same seed gives the same order of cells, payload bytes and random arrivals. By default a random seed, which is shown and recorded. */
  seed?: Given | undefined;
/** Set TCP_NODELAY on every socket of every transport. Any of: on, off. */
  tcpNoDelay?: Given | undefined;
/** Roles keep the memory that they have freed (glibc: MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_), and collect garbage as often as a larger process does (V8: --heap-growing-percent). off: the defaults of glibc and V8. A small process may then map its memory again, or collect all garbage, every few large messages. Any of: on, off. */
  keepMemory?: Given | undefined;
/** awake: keep the cores awake during the measurement, as on a server with other callers: idle cores poll for work, or loops of the lowest priority use them. sleeping: let the system decide, so that a round trip includes the time to wake a core. By default no loops run where processes have no cores of their own, and cores sleep on EC2 instances with CPU credits. A client by hand lets idle cores poll, if it may. One of: awake, sleeping. */
  cores?: Given | undefined;
/** Write a CPU profile of the measured part of each trial for each role, into the folder profiles next to the results. Taking the samples costs CPU time. Any of: on, off. */
  profile?: Given | undefined;
/** What runs the roles: node (the Node.js that runs perf-battle), node@VERSION, bun or deno. npm provides the last three once, in the newest version that fits. bun/node runs the clients in Bun and the servers in Node.js. */
  runtime?: Given | undefined;
/** Port of a server that clients connect to directly. 0: any free port, the default of a battle. */
  serverPort?: Given | undefined;
/** Where a client finds its server. In a battle with roles on other hosts: the address under which clients reach the server, if ssh uses another address. For several servers, a comma-separated list. */
  serverAddress?: Given | undefined;
/** The maximum number of requests, or of unconfirmed messages, in flight. HTTP opens as many connections. Each workload has its own default. For the workload rtt, pipeline, stream, queue, recordset or max-rate. */
  window?: Given | undefined;
/** Client processes per trial, started together. For the workload rtt, pipeline, stream, queue, cached, recordset or max-rate. */
  clients?: Given | undefined;
/** Server processes per trial: competing consumers of one queue, or servers with the clients spread over them. For the workload rtt, pipeline, stream, cached, recordset or max-rate. */
  servers?: Given | undefined;
/** Open loop: send this many messages per second at fixed times, whether or not replies come back. A list is a sweep. For the workload rtt or stream. */
  rate?: Given | undefined;
/** With a rate: equal times between messages, or exponentially distributed times. For the workload rtt, stream or max-rate. Any of: constant, poisson. */
  arrivals?: Given | undefined;
/** What the server replies with. echo: the bytes of the request; increment: each byte plus one (mod 256). A server of --url may reply with any content: status counts the replies that report success, any counts all replies. The default is status with --url, and echo otherwise. For the workload rtt, pipeline, cached or max-rate. Any of: echo, increment, status, any. */
  reply?: Given | undefined;
/** With several messages in flight: compare every byte of every N-th message. Length and sequence number are always checked. For the workload rtt, pipeline, stream, cached, recordset or max-rate. */
  verify?: Given | undefined;
/** How often a timed-out request is sent again before it counts as lost. For the workload rtt, pipeline, cached or recordset. */
  retries?: Given | undefined;
/** Show what the mean consists of: the way to the server, its handler, and the way back. With a broker, also the share of the broker, which needs root and tcpdump on its host. The server reads the clock twice for each request. For the workload rtt. Any of: on, off. */
  anatomy?: Given | undefined;
/** After the last message, send one request and wait for its reply; the client also measures the time until this reply. For the workload stream. Any of: on, off. */
  closingCall?: Given | undefined;
/** Put a message into the queue and take it out again before the next one. For the workload queue. Any of: on, off. */
  pairwise?: Given | undefined;
/** How many subscribers get each message, each over its own connection; by default 1, 10 and 100. For the workload fan-out. */
  subscribers?: Given | undefined;
/** The share of requests that the client's cache answers. For the workload cached. */
  hitRatio?: Given | undefined;
/** Keep the replies in a map of the client, or in a database of LMDB on a RAM drive. lmdb needs the npm package lmdb on the host of the client. For the workload cached. Any of: memory, lmdb. */
  cacheIn?: Given | undefined;
/** Rows per reply; by default 8, 504, 2679 and 72591. For the workload recordset. */
  rows?: Given | undefined;
/** Send rows in chunks while they are encoded, or encode all of them beforehand. For the workload recordset. Any of: streamed, preloaded. */
  delivery?: Given | undefined;
/** Answer with rows that the server has in memory, or read them from a table of SQLite for each answer. sqlite needs Node.js 22.13 on the host of the server. For the workload recordset. Any of: memory, sqlite. */
  rowsFrom?: Given | undefined;
/** Search for the highest rate at which the p99 of the response time stays within this time; by default 10 ms. Implies --workload max-rate. For the workload max-rate. */
  findMaxRate?: Given | undefined;
/** Library of the server: Express, Fastify, or node:http alone. A battle runs Express and node:http. Any of: express, fastify, node. */
  httpServer?: Given | undefined;
/** Library of the client: undici's dispatch, the request function of node:http, or fetch(). Any of: undici, node, fetch. */
  httpClient?: Given | undefined;
/** TLS for HTTP (https), HTTP/2, gRPC, SSE, WebSocket (wss) and Socket.IO, with a temporary certificate unless files are given. Any of: on, off. */
  tls?: Given | undefined;
/** Certificate of the server, with its chain. */
  tlsCertFile?: Given | undefined;
/** Private key of that certificate. */
  tlsKeyFile?: Given | undefined;
/** Certificate authority that the client trusts. By default a battle trusts exactly the server's certificate. */
  tlsCaFile?: Given | undefined;
/** Certificate of the client, with its chain, for a server that asks for one (mutual TLS). */
  tlsClientCertFile?: Given | undefined;
/** Private key of that certificate. */
  tlsClientKeyFile?: Given | undefined;
/** Certificate authority of the clients: the server refuses a client without a certificate of it. */
  tlsClientCaFile?: Given | undefined;
/** Reuse connections. off: open a connection for each request. Any of: on, off. */
  httpKeepAlive?: Given | undefined;
/** Let Express compute an ETag for each reply, as it does by default. Any of: on, off. */
  httpEtag?: Given | undefined;
/** The bytes that an end may send before the other end allows more, for each stream and for the connection. Windows larger than the buffers of the sockets may stall large messages. */
  http2Window?: Given | undefined;
/** A unary call for each request, or one bidirectional stream for each client. Any of: unary, stream. */
  grpcCall?: Given | undefined;
/** Number of channels of a client, each with a connection of its own. */
  grpcChannels?: Given | undefined;
/** The bytes that a server may send before its client allows more, for each call and for the connection. */
  grpcWindow?: Given | undefined;
/** Per-message compression on both ends. Any of: on, off. */
  websocketDeflate?: Given | undefined;
/** Delivery mode of requests and replies: 1 is transient, 2 is persistent. Any of: 1, 2. */
  deliveryMode?: Given | undefined;
/** How both consumers acknowledge. By default auto, and manual with publisher confirms or transactions. Any of: auto, manual. */
  rabbitmqAck?: Given | undefined;
/** The maximum number of unacknowledged messages per consumer; 0: no limit. Needs manual acknowledgement. */
  rabbitmqPrefetch?: Given | undefined;
/** Publisher confirms: a round trip ends when both the reply and the confirm have arrived. Any of: on, off. */
  rabbitmqConfirms?: Given | undefined;
/** AMQP transactions instead of confirms: a message or an acknowledgement counts when the broker has committed it. Any of: on, off. */
  rabbitmqTx?: Given | undefined;
/** Type of the durable queues. By default classic, and quorum in a cluster. Any of: classic, quorum. */
  rabbitmqQueueType?: Given | undefined;
/** Return replies through a queue of the client, or by direct reply-to. Any of: queue, direct. */
  rabbitmqReply?: Given | undefined;
/** AMQP heartbeat in seconds; 0: none. */
  rabbitmqHeartbeat?: Given | undefined;
/** The RabbitMQ that a private broker runs: installed, a version that is here, or a folder that contains sbin/rabbitmq-server. Several values compare versions. If the folder contains Erlang in the folder erlang, the broker uses that. */
  rabbitmqHome?: Given | undefined;
/** The kind of broker for AMQP 1.0. Several kinds are compared, each with a private broker or with the broker that its own options name. Any of: rabbitmq, artemis. */
  amqp1Broker?: Given | undefined;
/** Send messages settled: neither end acknowledges them. Otherwise a round trip ends when both the reply and the outcome of the request have arrived. Any of: on, off. */
  amqp1Settled?: Given | undefined;
/** The maximum number of messages that the broker may send to a receiver before it gets more credit. */
  amqp1Credit?: Given | undefined;
/** How a private Artemis writes its journal: by Java's own files (NIO), or by asynchronous I/O, which needs Linux with libaio. Any of: nio, asyncio. */
  artemisJournal?: Given | undefined;
/** The maximum number of messages that a publisher of a stream sends in one frame. */
  rabbitmqStreamBatch?: Given | undefined;
/** Ask for a receipt of each message, and acknowledge each delivered request and each delivered message of a queue. A round trip then ends when both the reply and the receipt of the request have arrived. Otherwise nothing is acknowledged. Any of: on, off. */
  stompReceipts?: Given | undefined;
/** The maximum number of unacknowledged messages per subscription. */
  stompPrefetch?: Given | undefined;
/** Where a stream keeps its messages: in the memory of the NATS server, or in files. Any of: memory, file. */
  jetstreamStorage?: Given | undefined;
/** When a private NATS server writes files to the disk: every two minutes, as it does by default, or before it acknowledges a message. always needs NATS 2.10 or later, and --jetstream-storage file. Any of: interval, always. */
  jetstreamSync?: Given | undefined;
/** Quality of service of requests, replies and subscriptions: 0 is at most once, 1 at least once, 2 exactly once. Any of: 0, 1, 2. */
  mqttQos?: Given | undefined;
/** When a private Mosquitto saves its data to its file: never, every 30 minutes (its default once persistence is on), or after each change. By default never. Any of: off, interval, changes. */
  mqttPersistence?: Given | undefined;
/** The broker: Mosquitto or another MQTT 5 broker, or RabbitMQ 3.13 or later, with its plugin. By default mosquitto. Any of: mosquitto, rabbitmq. */
  mqttBroker?: Given | undefined;
/** What carries the messages: lists with blocking pops, streams with a group of consumers, or publish and subscribe, which stores nothing. Any of: list, stream, pubsub. */
  redisVia?: Given | undefined;
/** When the server flushes its data to the disk: before each answer (always), every second, or when the system does (no). off: it stores nothing. A private server gets this setting, by default off. A given server must have it. Any of: off, no, everysec, always. */
  redisAppendfsync?: Given | undefined;
/** When the broker acknowledges a message: never, when the leader of its partition has it, or when all replicas in sync have it. Any of: 0, 1, all. */
  kafkaAcks?: Given | undefined;
/** How many milliseconds a message waits, to be sent together with others. With 0, only messages of one turn of the event loop, or waiting for one of five requests in flight, are sent together. */
  kafkaLinger?: Given | undefined;
/** When the broker writes the topics of a run to the disk: when the system does (system, the default of Kafka), or before it acknowledges each message (always, flush.messages=1). Any of: system, always. */
  kafkaFlush?: Given | undefined;
/** Whether the one-way messages of one turn of the event loop share datagrams. off: each message begins a new datagram. Any of: on, off. */
  udpBatch?: Given | undefined;
/** Maximum size of a datagram in bytes, without the headers of UDP and IP. One Ethernet frame carries 1472 bytes over IPv4, and 1452 over IPv6. IP splits larger datagrams, and the loss of one part loses the whole datagram. Over the loopback interface, which loses nothing, 65507 is faster. */
  udpDatagram?: Given | undefined;
/** What a Unix socket carries: frames as over raw TCP, or HTTP by the libraries that --http-server and --http-client name. Any of: raw, http. */
  unixProtocol?: Given | undefined;
/** How a payload reaches the other thread. copy: postMessage() clones it. transfer: the memory passes to the other thread, and the sender loses it; so the client first copies each payload into new memory, and the thread sends this memory back. Any of: copy, transfer. */
  workerTransfer?: Given | undefined;
/** Two programs of your own, in any language, as a transport: NAME=SERVER,CLIENT. They speak the JSON lines of perf-battle help adapter-contract; perf-battle check-adapter checks them. Separate several pairs with semicolons, or repeat the option. */
  external?: Given | undefined;
/** The kind of broker through which the programs of --external reach each other: for all pairs, or NAME=KIND for one pair. The battle gives the programs its broker and the names to use there. With RabbitMQ, each delivery mode has a row. */
  brokerKind?: Given | undefined;
/** A server that already runs, in place of a server of the battle: NAME=URL, such as http=http://127.0.0.1:8080/echo. It is measured in the same rounds as the transports of the battle, and gets nothing but the requests. Separate several servers with commas, or repeat the option. */
  url?: Given | undefined;
/** The method of the requests to an HTTP server of --url. GET and HEAD send no payload. One of: POST, PUT, PATCH, GET, HEAD, DELETE. */
  urlMethod?: Given | undefined;
/** The form of a request to a gRPC server of --url. field: a message whose field 1 (bytes or a string) has the payload. whole: the payload itself, such as an encoded message in --payload-file. One of: field, whole. */
  urlMessage?: Given | undefined;
/** A file with the headers of the requests to a server of --url, of its WebSocket handshake, or the metadata of its gRPC calls: NAME: VALUE on each line. The content is not stored. */
  urlHeaders?: Given | undefined;
/** Certificate authority that the client trusts for a server of --url, in place of the system's. */
  urlCaFile?: Given | undefined;
/** The maximum number of requests that a client process sends to a server of --url, warm-up included. Each round has new client processes. */
  urlRequests?: Given | undefined;
/** The broker as a URL, instead of host, port, user, password and virtual host. amqps:// uses TLS. The parameters cacertfile, certfile, keyfile and heartbeat set the corresponding options. */
  rabbitmqUrl?: Given | undefined;
/** Host of the broker. */
  rabbitmqHost?: Given | undefined;
/** Port of the broker. */
  rabbitmqPort?: Given | undefined;
/** User on the broker. */
  rabbitmqUsername?: Given | undefined;
/** Password on the broker. Set it in the environment or in .env: other users can read a command line. */
  rabbitmqPassword?: Given | undefined;
/** Virtual host. */
  rabbitmqVhost?: Given | undefined;
/** Certificate authority that signed the certificate of an amqps:// broker. */
  rabbitmqCaFile?: Given | undefined;
/** Certificate of the client, with its chain, for an amqps:// broker that asks for one (mutual TLS). */
  rabbitmqCertFile?: Given | undefined;
/** Private key of the client. */
  rabbitmqKeyFile?: Given | undefined;
/** Port of the stream protocol of the broker; by default 5552, and 5551 with amqps://. */
  rabbitmqStreamPort?: Given | undefined;
/** STOMP port of the broker; by default 61613, and 61614 with amqps://. */
  rabbitmqStompPort?: Given | undefined;
/** MQTT port of the broker; by default 1883, and 8883 with amqps://. */
  rabbitmqMqttPort?: Given | undefined;
/** Nodes of the private broker. Several nodes form a cluster; with --broker-on they run on different hosts. */
  brokerNodes?: Given | undefined;
/** Prefix of the names of the two direct exchanges. By default a battle adds a unique part. */
  rabbitmqExchange?: Given | undefined;
/** Prefix of the names of the two durable queues. By default a battle adds a unique part. */
  rabbitmqQueue?: Given | undefined;
/** The NATS server as a URL, instead of host, port, user, password and token: nats://user:password@host:4222, or nats://token@host. tls:// uses TLS. With several servers, such as nats://one:4222,two:4222, the first that answers is used. */
  natsUrl?: Given | undefined;
/** Host of the NATS server. */
  natsHost?: Given | undefined;
/** Port of the NATS server. */
  natsPort?: Given | undefined;
/** User on the NATS server; by default none. */
  natsUsername?: Given | undefined;
/** Password on the NATS server. Set it in the environment or in .env: other users can read a command line. */
  natsPassword?: Given | undefined;
/** Token for the NATS server, instead of user and password. Set it in the environment or in .env. */
  natsToken?: Given | undefined;
/** Certificate authority that signed the certificate of a NATS server with TLS. Any of these three files implies TLS. */
  natsCaFile?: Given | undefined;
/** Certificate of the client, with its chain, for a NATS server that asks for one (mutual TLS). */
  natsCertFile?: Given | undefined;
/** Private key of the client. */
  natsKeyFile?: Given | undefined;
/** Prefix of the subjects. By default a battle adds a unique part. */
  natsSubject?: Given | undefined;
/** The Redis or Valkey server as a URL, instead of host, port, user and password: redis://user:password@host:6379/0. rediss:// uses TLS. */
  redisUrl?: Given | undefined;
/** Host of the Redis server. */
  redisHost?: Given | undefined;
/** Port of the Redis server. */
  redisPort?: Given | undefined;
/** User on the Redis server; by default the default user. */
  redisUsername?: Given | undefined;
/** Password on the Redis server. Set it in the environment or in .env: other users can read a command line. */
  redisPassword?: Given | undefined;
/** Certificate authority that signed the certificate of a Redis server with TLS. Any of these three files implies TLS. */
  redisCaFile?: Given | undefined;
/** Certificate of the client, with its chain, for a Redis server that asks for one (mutual TLS). */
  redisCertFile?: Given | undefined;
/** Private key of the client. */
  redisKeyFile?: Given | undefined;
/** Prefix of the names of keys and channels. By default a battle adds a unique part. */
  redisPrefix?: Given | undefined;
/** The MQTT broker as a URL, instead of host, port, user and password: mqtt://user:password@host:1883. mqtts:// uses TLS. */
  mosquittoUrl?: Given | undefined;
/** Host of the MQTT broker. */
  mosquittoHost?: Given | undefined;
/** Port of the MQTT broker. */
  mosquittoPort?: Given | undefined;
/** User on the MQTT broker; by default none. */
  mosquittoUsername?: Given | undefined;
/** Password on the MQTT broker. Set it in the environment or in .env: other users can read a command line. */
  mosquittoPassword?: Given | undefined;
/** Certificate authority that signed the certificate of an MQTT broker with TLS. Any of these three files implies TLS. */
  mosquittoCaFile?: Given | undefined;
/** Certificate of the client, with its chain, for an MQTT broker that asks for one (mutual TLS). */
  mosquittoCertFile?: Given | undefined;
/** Private key of the client. */
  mosquittoKeyFile?: Given | undefined;
/** Prefix of the topics and of the names of clients. By default a battle adds a unique part. */
  mosquittoTopic?: Given | undefined;
/** A Kafka broker as a URL, instead of host, port, user and password: kafka://user:password@host:9092. kafka+ssl:// uses TLS. Any broker of a cluster leads to the others; several are tried in turn: kafka://one:9092,two:9092. */
  kafkaUrl?: Given | undefined;
/** Host of the Kafka broker. */
  kafkaHost?: Given | undefined;
/** Port of the Kafka broker. */
  kafkaPort?: Given | undefined;
/** User on the Kafka broker (SASL); by default none. */
  kafkaUsername?: Given | undefined;
/** Password on the Kafka broker. Set it in the environment or in .env: other users can read a command line. */
  kafkaPassword?: Given | undefined;
/** The SASL mechanism by which a user logs in to a Kafka broker. One of: plain, scram-sha-256, scram-sha-512. */
  kafkaSaslMechanism?: Given | undefined;
/** Certificate authority that signed the certificate of a Kafka broker with TLS. Any of these three files implies TLS. */
  kafkaCaFile?: Given | undefined;
/** Certificate of the client, with its chain, for a Kafka broker that asks for one (mutual TLS). */
  kafkaCertFile?: Given | undefined;
/** Private key of the client. */
  kafkaKeyFile?: Given | undefined;
/** Prefix of the names of topics and groups. By default a battle adds a unique part. */
  kafkaPrefix?: Given | undefined;
/** The Artemis broker as a URL, instead of host, port, user and password: amqp://user:password@host:5672. amqps:// uses TLS. */
  artemisUrl?: Given | undefined;
/** Host of the Artemis broker. */
  artemisHost?: Given | undefined;
/** Port of the Artemis broker. */
  artemisPort?: Given | undefined;
/** User on the Artemis broker. */
  artemisUsername?: Given | undefined;
/** Password on the Artemis broker. Set it in the environment or in .env: other users can read a command line. */
  artemisPassword?: Given | undefined;
/** Certificate authority that signed the certificate of an Artemis broker with TLS. Any of these three files implies TLS. */
  artemisCaFile?: Given | undefined;
/** Certificate of the client, with its chain, for an Artemis broker that asks for one (mutual TLS). */
  artemisCertFile?: Given | undefined;
/** Private key of the client. */
  artemisKeyFile?: Given | undefined;
/** Prefix of the names of addresses and queues. By default a battle adds a unique part. */
  artemisPrefix?: Given | undefined;
}

/** The options of `perf-battle faults`, likewise. */
export interface FaultSettings {
/** The faults, one after the other; perf-battle help faults-reference explains each fault. By default the faults that show what an acknowledgement is worth, and kill-server. A battle with --fault is a run of faults. Any of: kill-broker, power-loss, stop-broker, pause-broker, fill-disk, memory-alarm, kill-node, minority, majority, kill-server, pause-server, slow-consumer, kill-consumer, kill-daemon, cut-connection, cut-network. */
  fault?: Given | undefined;
/** How often each fault is done; by default once for a fault with a time (--fault kill-broker@5s). Power cuts happen at random times. */
  tries?: Given | undefined;
/** How long the target stays killed, stopped, paused or cut before it is started again or continues. */
  restartAfter?: Given | undefined;
/** Start a killed or stopped target again. Otherwise the target stays down until the load ends, and the fault is done once. */
  respawn?: Given | undefined;
/** Send a message again if the connection was lost before its outcome was known. A message may then arrive twice; it counts once, and duplicates are counted separately. off,on compares both. Any of: on, off. */
  resend?: Given | undefined;
/** A row for each combination of the settings that change what an acknowledgement is worth. A setting that is given keeps its value. */
  allSettings?: Given | undefined;
/** The whole durability table, in about a quarter of an hour. It has all settings of a queue, and requests with one and two servers, with and without --resend. */
  table?: Given | undefined;
/** The transports whose brokers and servers are hit. Any of: tcp, http, http2, grpc, sse, websocket, socketio, zeromq, rabbitmq, amqp1, rabbitmq-stream, stomp, nats, jetstream, mqtt, redis, kafka, udp, unix, posix-mq, shared-memory, worker, external, by-url, all, default, http-family, brokers, local. */
  transport?: Given | undefined;
/** Run the faults of a published benchmark. The published outcome is shown below the measured one. One of: endurox-ha-main, endurox-ha-servers. */
  preset?: Given | undefined;
/** Run the servers on another host, over ssh. */
  serverOn?: Given | undefined;
/** Start the private broker on another host, over ssh. By default it runs on the host of the servers. */
  brokerOn?: Given | undefined;
/** The address under which the roles reach the host of the private broker, if it differs from the address that ssh connects to. A cluster on several hosts needs an IPv4 address for each host. The nodes use these addresses too. */
  brokerAddress?: Given | undefined;
/** The configuration file for ssh, instead of your own. */
  sshConfig?: Given | undefined;
/** The journal is next to this file and ends in .ndjson. It gets each fault and row; the file itself stays as it is. */
  results?: Given | undefined;
/** The size of a message. By default 1kb. */
  payload?: Given | undefined;
/** What is sent. By default messages into a queue, or requests where a transport has none. Not taken: max-rate. Any of: rtt, pipeline, stream, queue, fan-out, cached, recordset, max-rate. */
  workload?: Given | undefined;
/** If the oldest message has no outcome within this time, the client gives up its connection. Some faults and transports have a shorter default; --print-config shows it. */
  timeout?: Given | undefined;
/** The same seed gives the same payload bytes and the same random times of faults. By default a random seed, which is recorded. */
  seed?: Given | undefined;
/** The address under which clients reach servers on another host, if ssh uses another address. */
  serverAddress?: Given | undefined;
/** The maximum number of messages or requests that wait for an outcome. By default 64. */
  window?: Given | undefined;
/** Servers. A client that loses its server uses the next. By default one. */
  servers?: Given | undefined;
/** Messages per second of the load. By default 500. */
  rate?: Given | undefined;
/** How many subscribers get each message, each over its own connection. By default 10. */
  subscribers?: Given | undefined;
/** The share of requests that the client's cache answers. For the workload cached. */
  hitRatio?: Given | undefined;
/** Keep the replies in a map of the client, or in a database of LMDB on a RAM drive. lmdb needs the npm package lmdb on the host of the client. For the workload cached. Any of: memory, lmdb. */
  cacheIn?: Given | undefined;
/** Rows per reply. By default 8. */
  rows?: Given | undefined;
/** Send rows in chunks while they are encoded, or encode all of them beforehand. For the workload recordset. Any of: streamed, preloaded. */
  delivery?: Given | undefined;
/** Answer with rows that the server has in memory, or read them from a table of SQLite for each answer. sqlite needs Node.js 22.13 on the host of the server. For the workload recordset. Any of: memory, sqlite. */
  rowsFrom?: Given | undefined;
/** Library of the server: Express, Fastify, or node:http alone. A battle runs Express and node:http. Any of: express, fastify, node. */
  httpServer?: Given | undefined;
/** Library of the client: undici's dispatch, the request function of node:http, or fetch(). Any of: undici, node, fetch. */
  httpClient?: Given | undefined;
/** TLS for HTTP (https), HTTP/2, gRPC, SSE, WebSocket (wss) and Socket.IO, with a temporary certificate unless files are given. Any of: on, off. */
  tls?: Given | undefined;
/** Reuse connections. off: open a connection for each request. Any of: on, off. */
  httpKeepAlive?: Given | undefined;
/** Let Express compute an ETag for each reply, as it does by default. Any of: on, off. */
  httpEtag?: Given | undefined;
/** The bytes that an end may send before the other end allows more, for each stream and for the connection. Windows larger than the buffers of the sockets may stall large messages. */
  http2Window?: Given | undefined;
/** A unary call for each request, or one bidirectional stream for each client. Any of: unary, stream. */
  grpcCall?: Given | undefined;
/** Number of channels of a client, each with a connection of its own. */
  grpcChannels?: Given | undefined;
/** The bytes that a server may send before its client allows more, for each call and for the connection. */
  grpcWindow?: Given | undefined;
/** Per-message compression on both ends. Any of: on, off. */
  websocketDeflate?: Given | undefined;
/** Delivery mode of requests and replies: 1 is transient, 2 is persistent. Any of: 1, 2. */
  deliveryMode?: Given | undefined;
/** How both consumers acknowledge. By default auto, and manual with publisher confirms or transactions. Any of: auto, manual. */
  rabbitmqAck?: Given | undefined;
/** The maximum number of unacknowledged messages per consumer; 0: no limit. Needs manual acknowledgement. */
  rabbitmqPrefetch?: Given | undefined;
/** Publisher confirms: a round trip ends when both the reply and the confirm have arrived. Any of: on, off. */
  rabbitmqConfirms?: Given | undefined;
/** AMQP transactions instead of confirms: a message or an acknowledgement counts when the broker has committed it. Any of: on, off. */
  rabbitmqTx?: Given | undefined;
/** Type of the durable queues. By default classic, and quorum in a cluster. Any of: classic, quorum. */
  rabbitmqQueueType?: Given | undefined;
/** Return replies through a queue of the client, or by direct reply-to. Any of: queue, direct. */
  rabbitmqReply?: Given | undefined;
/** AMQP heartbeat in seconds; 0: none. */
  rabbitmqHeartbeat?: Given | undefined;
/** The RabbitMQ that a private broker runs: installed, a version that is here, or a folder that contains sbin/rabbitmq-server. Several values compare versions. If the folder contains Erlang in the folder erlang, the broker uses that. */
  rabbitmqHome?: Given | undefined;
/** The kind of broker for AMQP 1.0. Several kinds are compared, each with a private broker or with the broker that its own options name. Any of: rabbitmq, artemis. */
  amqp1Broker?: Given | undefined;
/** Send messages settled: neither end acknowledges them. Otherwise a round trip ends when both the reply and the outcome of the request have arrived. Any of: on, off. */
  amqp1Settled?: Given | undefined;
/** The maximum number of messages that the broker may send to a receiver before it gets more credit. */
  amqp1Credit?: Given | undefined;
/** How a private Artemis writes its journal: by Java's own files (NIO), or by asynchronous I/O, which needs Linux with libaio. Any of: nio, asyncio. */
  artemisJournal?: Given | undefined;
/** The maximum number of messages that a publisher of a stream sends in one frame. */
  rabbitmqStreamBatch?: Given | undefined;
/** Ask for a receipt of each message, and acknowledge each delivered request and each delivered message of a queue. A round trip then ends when both the reply and the receipt of the request have arrived. Otherwise nothing is acknowledged. Any of: on, off. */
  stompReceipts?: Given | undefined;
/** The maximum number of unacknowledged messages per subscription. */
  stompPrefetch?: Given | undefined;
/** Where a stream keeps its messages: in the memory of the NATS server, or in files. Any of: memory, file. */
  jetstreamStorage?: Given | undefined;
/** When a private NATS server writes files to the disk: every two minutes, as it does by default, or before it acknowledges a message. always needs NATS 2.10 or later, and --jetstream-storage file. Any of: interval, always. */
  jetstreamSync?: Given | undefined;
/** Quality of service of requests, replies and subscriptions: 0 is at most once, 1 at least once, 2 exactly once. Any of: 0, 1, 2. */
  mqttQos?: Given | undefined;
/** When a private Mosquitto saves its data to its file: never, every 30 minutes (its default once persistence is on), or after each change. By default never. Any of: off, interval, changes. */
  mqttPersistence?: Given | undefined;
/** The broker: Mosquitto or another MQTT 5 broker, or RabbitMQ 3.13 or later, with its plugin. By default mosquitto. Any of: mosquitto, rabbitmq. */
  mqttBroker?: Given | undefined;
/** What carries the messages: lists with blocking pops, streams with a group of consumers, or publish and subscribe, which stores nothing. Any of: list, stream, pubsub. */
  redisVia?: Given | undefined;
/** When the server flushes its data to the disk: before each answer (always), every second, or when the system does (no). off: it stores nothing. A private server gets this setting, by default off. A given server must have it. Any of: off, no, everysec, always. */
  redisAppendfsync?: Given | undefined;
/** When the broker acknowledges a message: never, when the leader of its partition has it, or when all replicas in sync have it. Any of: 0, 1, all. */
  kafkaAcks?: Given | undefined;
/** How many milliseconds a message waits, to be sent together with others. With 0, only messages of one turn of the event loop, or waiting for one of five requests in flight, are sent together. */
  kafkaLinger?: Given | undefined;
/** When the broker writes the topics of a run to the disk: when the system does (system, the default of Kafka), or before it acknowledges each message (always, flush.messages=1). Any of: system, always. */
  kafkaFlush?: Given | undefined;
/** Whether the one-way messages of one turn of the event loop share datagrams. off: each message begins a new datagram. Any of: on, off. */
  udpBatch?: Given | undefined;
/** Maximum size of a datagram in bytes, without the headers of UDP and IP. One Ethernet frame carries 1472 bytes over IPv4, and 1452 over IPv6. IP splits larger datagrams, and the loss of one part loses the whole datagram. Over the loopback interface, which loses nothing, 65507 is faster. */
  udpDatagram?: Given | undefined;
/** What a Unix socket carries: frames as over raw TCP, or HTTP by the libraries that --http-server and --http-client name. Any of: raw, http. */
  unixProtocol?: Given | undefined;
/** How a payload reaches the other thread. copy: postMessage() clones it. transfer: the memory passes to the other thread, and the sender loses it; so the client first copies each payload into new memory, and the thread sends this memory back. Any of: copy, transfer. */
  workerTransfer?: Given | undefined;
/** Two programs of your own, in any language, as a transport: NAME=SERVER,CLIENT. They speak the JSON lines of perf-battle help adapter-contract; perf-battle check-adapter checks them. Separate several pairs with semicolons, or repeat the option. */
  external?: Given | undefined;
/** A server that already runs, in place of a server of the battle: NAME=URL, such as http=http://127.0.0.1:8080/echo. It is measured in the same rounds as the transports of the battle, and gets nothing but the requests. Separate several servers with commas, or repeat the option. */
  url?: Given | undefined;
/** Nodes of the private broker. Several nodes form a cluster; with --broker-on they run on different hosts. */
  brokerNodes?: Given | undefined;
}

/** The record of a cell, as the journal keeps it and `--json` prints it. */
export type CellRecord = {
schema: 1;
kind: "cell";
id: string;
battleId: string;
startedAt: string;
transport: string;
/** where the transport comes from, if it is not part of perf-battle: as it was named, its file, and its npm package */
module?: {
specifier: string;
url: string;
package: string | null;
version: string | null;
} | undefined;
/** every setting in force */
variant: Record<string, unknown>;
labels: {
facilitator: string;
qualifier: string | null;
settings: (string)[];
persistent: string;
};
/** what the acknowledgement of a message is worth, if perf-battle faults has measured these settings before, into the same journal */
guarantee?: {
/** such as in memory */
class: string;
/** the class, and on how many nodes each message is */
name: string;
/** of the run of faults that measured it */
runId: string;
/** of that run */
startedAt: string;
} | undefined;
workload: string;
comparedBy: "latency" | "rate";
payloadBytes: number;
environment: string;
machine: string;
hosts: {
client: string;
server: string;
broker: string | null;
};
versions: Record<string, string | null>;
seed: number;
/** of the battle, and the rule that ended it: the given number of rounds, the precision of all means, the budget of time, or failures that left no cell but the floor; missing in an interrupted battle and in version 0.1.0 */
rounds?: {
count: number;
stoppedBy: "rounds" | "precision" | "budget" | "failures";
} | undefined;
/** every setting of the battle, without secrets */
config: Record<string, unknown>;
outcome: "completed";
/** round trips; in an open loop the response time, from the intended send time; null if there are no replies */
rtt: {
/** in ms; null only if it is withheld, see oneWay */
meanMs: number | null;
/** in ms; null only if it is withheld, see oneWay */
minMs: number | null;
/** in ms; null only if it is withheld, see oneWay */
maxMs: number | null;
/** standard deviation of the samples, in ms; null only if it is withheld, see oneWay */
stdevMs: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p50Ms: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p75Ms: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p90Ms: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p95Ms: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p99Ms: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p999Ms: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p9999Ms: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p99999Ms: number | null;
samples: number;
/** 95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial */
ci95Ms: [number, number] | null;
/** of the percentiles of the same names; missing in older records */
ci95?: {
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p50Ms: [number, number] | null;
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p75Ms: [number, number] | null;
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p90Ms: [number, number] | null;
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p95Ms: [number, number] | null;
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p99Ms: [number, number] | null;
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p999Ms: [number, number] | null;
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p9999Ms: [number, number] | null;
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p99999Ms: [number, number] | null;
} | undefined;
} | null;
/** other distributions by name: service and sendLag of an open loop, hit and miss of a cache */
latencies: Record<string, {
/** in ms; null only if it is withheld, see oneWay */
meanMs: number | null;
/** in ms; null only if it is withheld, see oneWay */
minMs: number | null;
/** in ms; null only if it is withheld, see oneWay */
maxMs: number | null;
/** standard deviation of the samples, in ms; null only if it is withheld, see oneWay */
stdevMs: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p50Ms: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p75Ms: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p90Ms: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p95Ms: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p99Ms: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p999Ms: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p9999Ms: number | null;
/** in ms; null if fewer than ten samples are above it, or if it is withheld */
p99999Ms: number | null;
samples: number;
/** 95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial */
ci95Ms?: [number, number] | null | undefined;
/** of the percentiles of the same names; missing in older records */
ci95?: {
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p50Ms: [number, number] | null;
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p75Ms: [number, number] | null;
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p90Ms: [number, number] | null;
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p95Ms: [number, number] | null;
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p99Ms: [number, number] | null;
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p999Ms: [number, number] | null;
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p9999Ms: [number, number] | null;
/** 95 % confidence interval over trials, low and high, in ms; null if a trial has fewer than two samples above its own percentile */
p99999Ms: [number, number] | null;
} | undefined;
}>;
/** of the timed part; for rtt, the inverse of the mean */
throughput: {
messagesPerSecond: number;
/** 95 % confidence interval over trials; null for a single trial */
ci95MessagesPerSecond: [number, number] | null;
bytesPerSecond: number;
/** the sum of the rates of all clients; messagesPerSecond is by the wall clock, at a rate by the schedules */
summedMessagesPerSecond: number;
};
/** separately timed parts, by name: enqueue and dequeue of a queue, sender of a stream with a closing call */
phases: Record<string, {
messages: number;
/** in ms */
meanMs: number;
messagesPerSecond: number;
/** 95 % confidence interval over trials; null for a single trial */
ci95MessagesPerSecond: [number, number] | null;
}>;
/** null in a closed loop */
openLoop: {
offeredPerSecond: number;
achievedPerSecond: number;
/** at least 97 % of the offered rate was achieved, and half of the messages were sent late by at most 1 % of the run */
keepsUp: boolean;
} | null;
/** of one-way messages between hosts: the error bound of their measured clock offset; withheld: some figures are null because they are less than five times that */
oneWay: {
/** in ms */
clockBoundMs: number;
withheld: boolean;
} | null;
/** between hosts; null within one host, and if the link is faster than raw TCP or not known */
link: {
/** what the link carries: measured before the first round with raw TCP */
bytesPerSecond: number;
/** of that, mean over trials; with one message in flight, both directions together; otherwise the busier one */
usedShare: number;
/** the share is at least 90 %: the transport waits for the link */
isLimit: boolean;
} | null;
/** with --anatomy: what the mean round trip consists of; null if it is not known */
anatomy: {
/** from the client's call to the server's handler */
request: {
/** in ms; between hosts below zero if the clocks differ by more */
meanMs: number;
/** 95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial */
ci95Ms: [number, number] | null;
};
/** from the request to the reply, in the server's handler */
handler: {
/** in ms; between hosts below zero if the clocks differ by more */
meanMs: number;
/** 95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial */
ci95Ms: [number, number] | null;
};
/** from there until the client has the whole reply */
reply: {
/** in ms; between hosts below zero if the clocks differ by more */
meanMs: number;
/** 95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial */
ci95Ms: [number, number] | null;
};
/** by how much request and reply may be shifted against each other; 0 on one host */
clockBoundMs: number;
/** the ways at the broker; null without a broker, and if they are not known */
hops: {
/** the three parts of a way, which add up to it */
request: {
/** until the last byte of the message was sent to the broker */
before: {
/** in ms; between hosts below zero if the clocks differ by more */
meanMs: number;
/** 95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial */
ci95Ms: [number, number] | null;
};
/** from there until the broker sent its first byte on */
broker: {
/** in ms; between hosts below zero if the clocks differ by more */
meanMs: number;
/** 95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial */
ci95Ms: [number, number] | null;
};
/** from there */
after: {
/** in ms; between hosts below zero if the clocks differ by more */
meanMs: number;
/** 95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial */
ci95Ms: [number, number] | null;
};
};
/** the three parts of a way, which add up to it */
reply: {
/** until the last byte of the message was sent to the broker */
before: {
/** in ms; between hosts below zero if the clocks differ by more */
meanMs: number;
/** 95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial */
ci95Ms: [number, number] | null;
};
/** from there until the broker sent its first byte on */
broker: {
/** in ms; between hosts below zero if the clocks differ by more */
meanMs: number;
/** 95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial */
ci95Ms: [number, number] | null;
};
/** from there */
after: {
/** in ms; between hosts below zero if the clocks differ by more */
meanMs: number;
/** 95 % confidence interval of the mean over trials, low and high, in ms; null for a single trial */
ci95Ms: [number, number] | null;
};
};
} | null;
/** why the ways at the broker are not known */
noHops: string | null;
} | null;
counts: {
sent: number;
received: number;
lost: number;
verified: number;
duplicated: number;
reordered: number;
corrupted: number;
retried: number;
timedOut: number;
};
cpu: {
/** over the measured part; null if it is not known */
client: {
/** in ms */
userMs: number;
/** in ms */
systemMs: number;
/** of one core */
percent: number | null;
/** without the time that a client took between round trips to check and record replies */
microsPerMessage: number | null;
/** the peak over the measured part */
maxRssBytes: number | null;
} | null;
/** over the measured part; null if it is not known */
server: {
/** in ms */
userMs: number;
/** in ms */
systemMs: number;
/** of one core */
percent: number | null;
/** without the time that a client took between round trips to check and record replies */
microsPerMessage: number | null;
/** the peak over the measured part */
maxRssBytes: number | null;
} | null;
/** over the measured part; null if it is not known */
broker: {
/** in ms */
userMs: number;
/** in ms */
systemMs: number;
/** of one core */
percent: number | null;
/** without the time that a client took between round trips to check and record replies */
microsPerMessage: number | null;
/** the peak over the measured part */
maxRssBytes: number | null;
} | null;
/** a thread of the client answers, so the CPU time of the server is a part of that of the client */
serverInClient?: true | undefined;
};
/** the cores that each role was pinned to, on each of its hosts; null if none was */
placement: {
/** null: any */
client: (number)[] | null;
/** null: any */
server: (number)[] | null;
/** null: any */
broker: (number)[] | null;
/** main: of the roles, only the threads that run their JavaScript were held there */
threads: "main" | "all";
} | null;
/** the state of idle cores while it was measured: they polled for work, were kept awake by loops, or slept; mixed: not the same in all rounds */
coreState: "polling" | "awake" | "sleeping" | "mixed";
/** what kept the roles from their work; null for a role in records of version 0.1.0 */
interference: {
/** over the measured parts of the trials that count; a figure is null if the system does not offer it */
client: {
/** how long main threads were ready to run and waited for a core */
runDelayMs: number | null;
/** how long the hypervisor kept main threads from running */
stealMs: number | null;
/** how long CPU limits of control groups stopped them */
throttledMs: number | null;
/** how often threads were taken off their cores */
involuntarySwitches: number | null;
/** how often main threads changed their cores */
migrations: number | null;
/** pauses of garbage collections */
gcMs: number | null;
/** by how much an event loop was late at most */
loopDelayMaxMs: number | null;
} | null;
/** over the measured parts of the trials that count; a figure is null if the system does not offer it */
server: {
/** how long main threads were ready to run and waited for a core */
runDelayMs: number | null;
/** how long the hypervisor kept main threads from running */
stealMs: number | null;
/** how long CPU limits of control groups stopped them */
throttledMs: number | null;
/** how often threads were taken off their cores */
involuntarySwitches: number | null;
/** how often main threads changed their cores */
migrations: number | null;
/** pauses of garbage collections */
gcMs: number | null;
/** by how much an event loop was late at most */
loopDelayMaxMs: number | null;
} | null;
};
trials: ({
round: number;
startedAt: string;
meanMs: number | null;
minMs: number | null;
maxMs: number | null;
stdevMs: number | null;
samples: number;
messagesPerSecond: number;
/** in ms */
wallMs: number;
discarded: number;
/** in how many slices it was measured, in turn with the trials of other cells; null: in one piece */
slices: number | null;
/** what raw TCP took that was measured beside it, where a round has several blocks; null: its ratio is to the trial of raw TCP in the same round */
floorMs: number | null;
/** mean round trips of ten parts of the trial with equal numbers of samples; missing in version 0.1.0 */
windows?: (number)[] | null | undefined;
/** only in version 0.1.0: whether the median was stable after the warm-up */
warm?: boolean | undefined;
/** from the start of the first client to that of the last one, in ms; null for one client */
startSkewMs: number | null;
/** segments that TCP sent again on the hosts of the clients and servers, by any of their processes, while it was measured; null if it is not known */
tcpRetransmits: number | null;
/** datagrams that the clients and servers of UDP sent again while it was measured; null for a transport that leaves that to TCP */
retransmissions: number | null;
disturbed: boolean;
/** percentiles, over the parts of the trial, of the time of a cache line from one core of the host to the other and back; null if it is not known, as on hosts with more than two cores */
coreDistance: {
p10Ns: number;
p50Ns: number;
p90Ns: number;
} | null;
/** the largest share, over the roles, of the time in which one was ready to run and others kept it from running; null if it is not known */
lostShare: number | null;
/** the largest share of a host's CPU that other processes used, over the hosts on which several processes of the trial ran; null if it is not known */
foreignShare: number | null;
/** whether the broker is another one than when the battle began; null if that is not seen */
brokerRestarted: boolean | null;
/** whether it counts: disturbed trials do not count if three others remain, and trials in which the cores of the host were moved do not count if five others remain */
used: boolean;
/** HdrHistogram V2, compressed, base64, in ns */
histogram: string | null;
})[];
/** the raw TCP floor of the same battle and payload; for workloads compared by rate, the time per message */
floor: {
/** in ms */
meanMs: number;
/** of the times, by the rounds in which both ran */
ratio: number;
/** 95 % confidence interval, paired by round; null for too few trials, and in older records */
ratioCi95: [number, number] | null;
/** on the ratio, which may hold where the times do not: what slowed both alike cancels; null in records of versions that judged the times alone */
verdict: {
/** wide: only the interval is too wide; suspect: the figure may be wrong */
status: "valid" | "wide" | "suspect";
warnings: ({
code: string;
message: string;
advice: string;
})[];
} | null;
} | null;
/** compared with the fastest cell of the same battle, workload, payload and offered rate, without the floor; null for the floor */
vsFastest: {
/** of the fastest cell; that cell names itself */
id: string;
/** of the times, by the rounds in which both ran */
ratio: number;
/** 95 % confidence interval, paired by round; null for too few trials, and in older records */
ratioCi95: [number, number] | null;
/** of a two-sided rank test */
pValue: number | null;
/** shown only if the interval excludes 1 and the ratio differs from 1 by at least 2 % */
difference: "slower" | "faster" | "no difference shown";
/** on the ratio, which may hold where the times do not: what slowed both alike cancels; null in records of versions that judged the times alone */
verdict: {
/** wide: only the interval is too wide; suspect: the figure may be wrong */
status: "valid" | "wide" | "suspect";
warnings: ({
code: string;
message: string;
advice: string;
})[];
} | null;
} | null;
verdict: {
/** wide: only the interval is too wide; suspect: the figure may be wrong */
status: "valid" | "wide" | "suspect";
warnings: ({
code: string;
message: string;
advice: string;
})[];
};
} | {
schema: 1;
kind: "cell";
id: string;
battleId: string;
startedAt: string;
transport: string;
/** where the transport comes from, if it is not part of perf-battle: as it was named, its file, and its npm package */
module?: {
specifier: string;
url: string;
package: string | null;
version: string | null;
} | undefined;
/** every setting in force */
variant: Record<string, unknown>;
labels: {
facilitator: string;
qualifier: string | null;
settings: (string)[];
persistent: string;
};
/** what the acknowledgement of a message is worth, if perf-battle faults has measured these settings before, into the same journal */
guarantee?: {
/** such as in memory */
class: string;
/** the class, and on how many nodes each message is */
name: string;
/** of the run of faults that measured it */
runId: string;
/** of that run */
startedAt: string;
} | undefined;
workload: string;
comparedBy: "latency" | "rate";
payloadBytes: number;
environment: string;
machine: string;
hosts: {
client: string;
server: string;
broker: string | null;
};
versions: Record<string, string | null>;
seed: number;
/** of the battle, and the rule that ended it: the given number of rounds, the precision of all means, the budget of time, or failures that left no cell but the floor; missing in an interrupted battle and in version 0.1.0 */
rounds?: {
count: number;
stoppedBy: "rounds" | "precision" | "budget" | "failures";
} | undefined;
/** every setting of the battle, without secrets */
config: Record<string, unknown>;
outcome: "failed";
error: {
code: string;
message: string;
};
} | {
schema: 1;
kind: "cell";
id: string;
battleId: string;
startedAt: string;
transport: string;
/** where the transport comes from, if it is not part of perf-battle: as it was named, its file, and its npm package */
module?: {
specifier: string;
url: string;
package: string | null;
version: string | null;
} | undefined;
/** every setting in force */
variant: Record<string, unknown>;
labels: {
facilitator: string;
qualifier: string | null;
settings: (string)[];
persistent: string;
};
/** what the acknowledgement of a message is worth, if perf-battle faults has measured these settings before, into the same journal */
guarantee?: {
/** such as in memory */
class: string;
/** the class, and on how many nodes each message is */
name: string;
/** of the run of faults that measured it */
runId: string;
/** of that run */
startedAt: string;
} | undefined;
workload: string;
comparedBy: "latency" | "rate";
payloadBytes: number;
environment: string;
machine: string;
hosts: {
client: string;
server: string;
broker: string | null;
};
versions: Record<string, string | null>;
seed: number;
/** of the battle, and the rule that ended it: the given number of rounds, the precision of all means, the budget of time, or failures that left no cell but the floor; missing in an interrupted battle and in version 0.1.0 */
rounds?: {
count: number;
stoppedBy: "rounds" | "precision" | "budget" | "failures";
} | undefined;
/** every setting of the battle, without secrets */
config: Record<string, unknown>;
outcome: "aborted";
};

export type ErrorCode =
  | 'PB_USAGE'
  | 'PB_RUN'
  | 'PB_UNEXPECTED'
  | 'PB_TRIAL_TIMEOUT'
  | 'PB_ROLE_DIED'
  | 'PB_BROKER_DIED'
  | 'PB_CONTROL_LOST'
  | 'PB_NO_SERVER'
  | 'PB_NO_GREETING'
  | 'PB_NO_CONNECTION'
  | 'PB_CONNECTION_LOST'
  | 'PB_CLOSED'
  | 'PB_NO_REPLY'
  | 'PB_LOST'
  | 'PB_STALLED'
  | 'PB_WRONG_REPLY'
  | 'PB_FRAME_TOO_LONG'
  | 'PB_HTTP_STATUS'
  | 'PB_GRPC_STATUS'
  | 'PB_TOO_MANY_REQUESTS'
  | 'PB_BROKER_BLOCKED'
  | 'PB_NACK'
  | 'PB_RETURNED'
  | 'PB_TOPOLOGY'
  | 'PB_PORT_IN_USE'
  | 'PB_LISTEN'
  | 'PB_NEGATIVE_LATENCY'
  | 'PB_NO_RATE'
  | 'PB_ADAPTER'
  | 'PB_BAD_TRANSPORT'
  | 'PB_NO_DISK'
  | 'PB_NO_LIBC'
  | 'PB_NOT_SHIPPABLE'
  | 'PB_UNAVAILABLE'
  | 'PB_NOT_INSTALLED'
  | 'PB_BROKER_UNAVAILABLE'
  | 'PB_HOST_UNAVAILABLE'
  | 'PB_HOST_LOST'
  | 'PB_AWS'
  | 'PB_NO_CREDENTIALS'
  | 'PB_INTERRUPTED';
