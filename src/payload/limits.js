/** No payload, frame or body is longer: RabbitMQ's own limit up to 3.13 (134217728 bytes; 16 MiB from 4.0). */
export const maxPayloadBytes = 128 * 1024 * 1024;
