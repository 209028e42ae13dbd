/**
 * @typedef {object} HostMemory
 * @property {number} totalBytes
 * @property {boolean} isPretended whether the node is told so in place of what it would find
 * @property {number} nodes how many share it
 */

/** A t2.micro has 1 GiB. */
const littleBytes = 2 * 1024 ** 3;

/**
 * RabbitMQ makes publishers wait while it uses more than 0.4 (since 4.0: 0.6) of the host's memory. Of the 400 MB that this is on a host of
 * 1 GiB Erlang with nothing to do takes 140; 400 messages of 1000 KB in a queue then block their publisher for good, for what holds the memory
 * waits in turn: the log of quorum queues for as much as 512 MB, and processes with nothing to do for somebody to collect their garbage. On
 * hosts with little memory both have less to wait for, and the alarm is looked at five times a second in place of every 2.5 s.
 * Each of several nodes is told that the host has its share alone, or together they could take more than there is.
 * @param {HostMemory} memory
 * @returns {string} advanced.config: versions that do not know a name pass over it there, but not in rabbitmq.conf
 */
export function memorySettings({totalBytes, isPretended, nodes}) {
  const shareBytes = Math.floor(totalBytes / nodes);
  const told = isPretended || nodes > 1 ? [`{total_memory_available_override_value, ${shareBytes}}`] : [];
  if (totalBytes >= littleBytes) return `[{rabbit, [${told.join()}]}].\n`;
  const rabbit = [
    ...told,
    '{vm_memory_high_watermark, 0.6}',
    '{memory_monitor_interval, 200}',
    '{background_gc_enabled, true}',
    '{background_gc_target_interval, 1000}',
  ];
  return `[{rabbit, [${rabbit.join(', ')}]}, {ra, [{wal_max_size_bytes, 64000000}]}].\n`;
}
