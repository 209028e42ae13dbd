/**
 * @typedef {object} HostMemory
 * @property {number} totalBytes
 * @property {boolean} isPretended whether the node must assume this in place of what it finds
 * @property {number} nodes how many nodes share it
 */

/** A t2.micro has 1 GiB. */
const littleBytes = 2 * 1024 ** 3;

/**
 * RabbitMQ blocks publishers while it uses more than 0.4 (since 4.0: 0.6) of the host's memory. On a host of 1 GiB that is 400 MB, of which
 * an idle Erlang takes 140. There, 400 messages of 1000 KB in a queue block their publisher for good, because nothing frees memory: the log
 * of quorum queues is written out only at 512 MB, and idle processes do not collect their garbage. So on a host with little memory the log is
 * smaller, garbage is collected in the background, and memory is checked five times a second instead of every 2.5 s. Each of several nodes on
 * a host assumes that the host has only its share; otherwise they could take more than there is.
 * @param {HostMemory} memory
 * @returns {string} advanced.config, where a version ignores names that it does not know; in rabbitmq.conf it would not start
 */
export function memorySettings({totalBytes, isPretended, nodes}) {
  const shareBytes = Math.floor(totalBytes / nodes);
  const assumed = isPretended || nodes > 1 ? [`{total_memory_available_override_value, ${shareBytes}}`] : [];
  if (totalBytes >= littleBytes) return `[{rabbit, [${assumed.join()}]}].\n`;
  const rabbit = [
    ...assumed,
    '{vm_memory_high_watermark, 0.6}',
    '{memory_monitor_interval, 200}',
    '{background_gc_enabled, true}',
    '{background_gc_target_interval, 1000}',
  ];
  return `[{rabbit, [${rabbit.join(', ')}]}, {ra, [{wal_max_size_bytes, 64000000}]}].\n`;
}
