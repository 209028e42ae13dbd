/**
 * The texts whose figures are shown beside measured ones. Their figures were measured by others, not by this program.
 *
 * @typedef {object} PublishedSource
 * @property {string} title
 * @property {string} url
 * @property {string} label in a table's cell
 *
 * @typedef {keyof typeof publishedSources} DocumentName
 */
export const publishedSources = /** @satisfies {Record<string, PublishedSource>} */ ({
  'perf-battle-readme': {
    title: 'http-websockets-rabbitmq-perf-battle (2016), RabbitMQ 3.5.0, Node.js 5.4.1, Amazon Linux on EC2',
    url: 'https://github.com/cflynn07/http-websockets-rabbitmq-perf-battle',
    label: 'perf-battle 2016',
  },
  'endurox-benchmark-doc': {
    title: 'Enduro/X benchmarks (from the manual of version 5; the link is that of version 7.5)',
    url: 'https://www.endurox.org/dokuwiki/doku.php?id=endurox:v7.5.x:guides:benchmark',
    label: 'Enduro/X benchmarks',
  },
  'endurox-vs-rabbitmq': {
    title: 'Enduro/X vs RabbitMQ review and benchmark (2018)',
    url: 'https://publicwork.wordpress.com/2018/06/22/enduro-x-vs-rabbitmq-review-and-benchmark/',
    label: 'Enduro/X vs RabbitMQ 2018',
  },
  'coralmq-numbers': {
    title: 'CoralMQ Performance Numbers (Coral Blocks, 2015)',
    url: 'http://www.coralblocks.com/index.php/coralmq-performance-numbers/',
    label: 'CoralMQ 2015',
  },
  'socketpro-vs-wcf-rabbitmq': {
    title: 'SocketPro performance comparison with WCF and RabbitMQ (UDAParts)',
    url: 'https://github.com/udaparts/socketpro',
    label: 'SocketPro comparison',
  },
});
