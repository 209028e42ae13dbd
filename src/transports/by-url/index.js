import {UsageError} from '../../errors.js';
import {quote} from '../../files/quote.js';
import {certificateFile} from '../../net/tls-files.js';
import {option} from '../../options/option.js';
import {didYouMean} from '../../options/show-option.js';
import {custom, file, integer, oneOf} from '../../options/types.js';
import grpc from '../grpc/index.js';
import http from '../http/index.js';
import websocket from '../websocket/index.js';
import {hasBody, mistakeInHeaders, placeOf} from './request.js';

/**
 * @import {OptionType, ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

/** An existing server. @typedef {{kind: string, url: string}} GivenServer kind: the transport that reaches it */

const group = 'A server of your own';

/** The transports that support `--url`. @type {readonly Transport[]} */
const kinds = [http, websocket, grpc];
const kindNames = kinds.map(({name}) => name);

/** @type {OptionType<GivenServer>} */
const givenServer = {
  allowed: `NAME=URL, where NAME is ${kindNames.slice(0, -1).join(', ')} or ${kindNames.at(-1)}, such as ${kinds[0].name}=http://127.0.0.1:8080/echo, without a user name and password (an Authorization header belongs into the file of --url-headers)`,
  separator: ',',
  placeholder: 'NAME=URL',
  // A URL may contain commas.
  split: (text) => text.split(/,(?=\s*[a-z][a-z\d-]*=[a-z][a-z\d+.-]*:)/i),
  parse(text) {
    const [, name, url] = /^([a-z][a-z\d-]*)=(\S+)$/i.exec(text) ?? [];
    const [, scheme] = /^([a-z]+:)\/\//i.exec(text) ?? [];
    const meant = kinds.find(({given}) => given?.protocols.includes(scheme?.toLowerCase()));
    if (meant)
      throw new UsageError(`The transport is missing before the URL: write ${meant.name}=${scheme}//….`);
    if (name === undefined) return undefined;
    const kind = kinds.find((one) => one.name === name.toLowerCase());
    if (kind === undefined)
      throw new UsageError(`${quote(name)} reaches no server by URL.${didYouMean(name, kindNames)}`);
    const protocols = kind.given?.protocols ?? [];
    if (!protocols.some((protocol) => url.toLowerCase().startsWith(`${protocol}//`)))
      throw new UsageError(
        `A URL of ${kind.name} begins with ${protocols.map((one) => `${one}//`).join(' or ')}.`,
      );
    if (!URL.canParse(url)) throw new UsageError('The URL has no host, or is malformed.');
    const parsed = new URL(url);
    const refusal = kind.given?.refuse?.(parsed) ?? null;
    if (refusal !== null) throw new UsageError(refusal);
    if (parsed.username !== '' || parsed.password !== '') return undefined;
    if (parsed.hash !== '') throw new UsageError('It has a fragment (#), which no server receives.');
    return {kind: kind.name, url: parsed.href};
  },
  format: ({kind, url}) => `${kind}=${url}`,
  maskRefused: (text) => text.replace(/\/\/[^/@]*@/g, '//***@'),
};

const methods = ['POST', 'PUT', 'PATCH', 'GET', 'HEAD', 'DELETE'];
/** @type {OptionType<string>} */
const method = {
  ...custom(`${methods.slice(0, -1).join(', ')} or ${methods.at(-1)}`, (text) =>
    methods.find((one) => one === text.toUpperCase()),
  ),
  choices: methods,
  placeholder: 'METHOD',
};

const options = [
  option('url', {
    type: givenServer,
    list: true,
    // A row shows the URL instead of the transport's name.
    label: () => null,
    brief: 'a server that is already there: http=http://…',
    help: 'A server that already runs, in place of a server of the battle: NAME=URL, such as http=http://127.0.0.1:8080/echo. It is measured in the same rounds as the transports of the battle, and gets nothing but the requests. Separate several servers with commas, or repeat the option.',
    needs: 'a workload of requests, such as --workload rtt: a given server takes no one-way messages',
    group,
  }),
  option('url-method', {
    type: method,
    default: 'POST',
    label: (value) => value,
    help: 'The method of the requests to an HTTP server of --url. GET and HEAD send no payload.',
    needs: '--url with an HTTP server',
    group,
  }),
  option('url-message', {
    type: oneOf(['field', 'whole']),
    default: 'field',
    label: (value) => `${value} message`,
    help: 'The form of a request to a gRPC server of --url. field: a message whose field 1 (bytes or a string) has the payload. whole: the payload itself, such as an encoded message in --payload-file.',
    needs: '--url with a gRPC server',
    group,
  }),
  option('url-headers', {
    type: file('the path of a file with an HTTP header on each line, NAME: VALUE', {
      maxBytes: 64 * 1024,
      isSent: true,
      refuse: (content) => mistakeInHeaders(content.toString('utf8')),
    }),
    help: 'A file with the headers of the requests to a server of --url, of its WebSocket handshake, or the metadata of its gRPC calls: NAME: VALUE on each line. The content is not stored.',
    needs: '--url',
    group,
  }),
  option('url-ca-file', {
    type: certificateFile,
    help: "Certificate authority that the client trusts for a server of --url, in place of the system's.",
    needs: '--url with TLS',
    group,
  }),
  option('url-requests', {
    type: integer({minimum: 1, maximum: 1_000_000_000}),
    default: 1_000_000,
    help: 'The maximum number of requests that a client process sends to a server of --url, warm-up included. Each round has new client processes.',
    needs: '--url',
    group,
  }),
];

/** @typedef {ScriptValuesOf<typeof options[number]>} GivenSettings */

const note =
  'perf-battle neither starts nor pins nor watches a given server. It only reads the CPU time of the server, if the process can be found on this host. If the server runs on another host, its ratio to raw TCP on this host includes the network.';

const label = 'Given server';

/**
 * A server that the user names, instead of a server that a battle starts. The transport of its NAME reaches it.
 * @satisfies {Transport<GivenSettings>}
 */
const byUrl = {
  name: /** @type {const} */ ('by-url'),
  label,
  labelOf: ({url}) => (url === null ? label : nameOf(/** @type {GivenServer} */ (url))),
  details: () => ['given server'],
  options,
  capabilities: /** @type {('request')[]} */ (['request']),
  broker: null,
  isOptIn: true,
  impliedBy: 'url',
  // The server may be written in another language, and its replies may be shorter than the requests.
  mayBeatFloor: true,
  libraries: ['undici', 'ws'],
  together: ({url}) => (url === null ? [{url: null}] : [url].flat().map((one) => ({url: one}))),
  serverOf: ({url}) => (url === null ? null : placeOf(/** @type {GivenServer} */ (url).url)),
  sendsNoPayload: (
    /** @type {{url?: GivenServer | readonly GivenServer[] | null, urlMethod?: string}} */ {
      url = null,
      urlMethod = '',
    },
  ) => !hasBody(urlMethod) && [url ?? []].flat().some((one) => kindOf(one).given?.hasMethods === true),
  ignores: ({url}) => {
    if (!url) return [];
    const {given} = kindOf(/** @type {GivenServer} */ (url));
    return [...(given?.hasMethods ? [] : ['urlMethod']), ...(given?.hasMessages ? [] : ['urlMessage'])];
  },
  notesOn: (variants) => (variants.length > 0 ? [note] : []),
  refuse: ({url}) => (url === null ? '--transport by-url needs a server: --url NAME=URL.' : null),
  client: () => import('./client.js'),
  async server() {
    throw new UsageError('The server of --url is one that is already there.');
  },
};

/** @param {GivenServer} server */
function kindOf({kind}) {
  return /** @type {Transport} */ (kinds.find(({name}) => name === kind));
}

/**
 * Returns the name of a server in tables, at most 60 characters after the label. Table cells must not contain vertical bars.
 * @param {GivenServer} server
 */
function nameOf({kind, url}) {
  const {host, pathname, search} = new URL(url);
  const where = `${host}${pathname === '/' ? '' : pathname}${search}`.replaceAll('|', '%7C');
  return `${kindOf({kind, url}).label} ${where.length > 60 ? `${where.slice(0, 59)}…` : where}`;
}

export default byUrl;
