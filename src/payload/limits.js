/** The maximum length of a payload, frame or body: RabbitMQ's limit up to 3.13 (134217728 bytes; 16 MiB from 4.0 on). */
export const maxPayloadBytes = 128 * 1024 * 1024;
