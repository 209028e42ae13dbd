import {
  optionsOfAb,
  optionsOfBattle,
  optionsOfChart,
  optionsOfCheckAdapter,
  optionsOfCheckTransport,
  optionsOfChoose,
  optionsOfCompare,
  optionsOfCompletion,
  optionsOfDoctor,
  optionsOfEc2,
  optionsOfFaults,
  optionsOfInit,
  optionsOfInstall,
  optionsOfReport,
  optionsOfTable,
} from '../settings/index.js';
import {programsGroup} from '../transports/external/index.js';
import {transportGroups} from '../transports/groups.js';
import {transportNames} from '../transports/index.js';
import {installable} from './installable.js';

/** @import {Option} from '../options/contract.js' */

/**
 * @typedef {object} HelpPage the text on a command in help, the manual page and the completions of shells
 * @property {readonly Option[]} options
 * @property {readonly string[]} [words] the words that may follow the command
 * @property {readonly [command: string, summary: string] | null} listed the line in the list of commands; null for no line
 * @property {string} about sentences
 * @property {string} usage
 * @property {readonly string[]} [first] the names of the options on the first screen; default all
 * @property {string} examples
 */

/** The first options on the screens of choose and ab, which both run battles. */
const ofMostBattles = ['transport', 'payload', 'workload', 'rounds', 'budget', 'quick', 'server-on', 'json'];

const ofPrograms = optionsOfCheckAdapter.filter(({group}) => group === programsGroup).map(({name}) => name);
const ofHosts = [...new Set([...optionsOfEc2.run, ...optionsOfEc2.up, ...optionsOfEc2.status])];
const ofEc2 = [...ofHosts, ...optionsOfBattle.filter(({name}) => !ofHosts.some((one) => one.name === name))];

/** @type {Readonly<Record<string, HelpPage>>} */
export const helpPages = {
  battle: {
    options: optionsOfBattle,
    listed: null,
    about:
      'perf-battle measures how fast services talk over HTTP, WebSocket, RabbitMQ, NATS, Redis, MQTT and others. It prints a table that says how far each figure can be trusted. New here? Read perf-battle help start.',
    usage: 'perf-battle [options]',
    first: [
      'transport',
      'url',
      'payload',
      'workload',
      'rounds',
      'budget',
      'quick',
      'expect',
      'server-on',
      'broker',
      'results',
      'resume',
      'json',
    ],
    examples: `  npx perf-battle --quick
  npx perf-battle --transport rabbitmq --payload 1kb,100kb --delivery-mode 2
  npx perf-battle choose --payload 10kb --rate 2000 --p99 10ms
  npx perf-battle --expect 'rabbitmq 1kb p99 < 5ms'`,
  },
  table: {
    options: optionsOfTable,
    listed: ['table', 'the newest results, printed or in a file'],
    about:
      'Shows the newest result of each configuration: on a terminal as the tables of a battle, in a pipe as a markdown table of means (--detail adds the intervals). Or writes a markdown table with intervals into a file.',
    usage: 'perf-battle table [options]',
    examples: `  npx perf-battle table --detail
  npx perf-battle table --csv > results.csv         for a spreadsheet
  npx perf-battle table --into README.md            between its two markers
  npx perf-battle table --into README.md --check    1: the file is out of date`,
  },
  choose: {
    options: optionsOfChoose,
    listed: ['choose', 'which transports keep a p99 at a rate'],
    about:
      'Measures response times over each transport at the given rate, and shows which transports stay within the p99. The exit code is 0 if a transport does, 4 if none does, and 5 if the figures do not decide.',
    usage: 'perf-battle choose --rate RATE --p99 TIME [--payload SIZE] [options]',
    first: ['p99', 'rate', ...ofMostBattles.filter((name) => name !== 'workload'), 'client-on', 'results'],
    examples: `  npx perf-battle choose --payload 10kb --rate 2000 --p99 10ms
  npx perf-battle choose --rate 500 --p99 5ms --transport rabbitmq,nats`,
  },
  compare: {
    options: optionsOfCompare,
    listed: ['compare [OLD [NEW]]', 'what changed between two battles'],
    about:
      'Compares two battles and says what became slower or faster. OLD and NEW are journals, results files, documents of --json, or battles: the beginning of an id, latest or previous; other.ndjson#3f2a91c0 is a battle of another journal. perf-battle help compare.md explains the result.',
    usage: 'perf-battle compare [OLD [NEW]] [options]',
    examples: `  npx perf-battle compare                           the newest two battles
  npx perf-battle compare 3f2a91c0 latest           two battles, by their ids
  npx perf-battle compare old/results.ndjson results.ndjson
  npx perf-battle compare base.json new.json --fail-if-slower 5%`,
  },
  ab: {
    options: optionsOfAb,
    listed: ['ab --a SIDE --b SIDE', 'two versions or settings, side by side'],
    about:
      'Runs both sides in the same rounds, side a twice, and says whether b is slower or faster. A side has settings of a transport or of the load, node=PATH, node@VERSION, folder=PATH, git=REF, PACKAGE@VERSION or broker=rabbitmq@VERSION. The payload is 1 KB by default. perf-battle help compare.md explains the result.',
    usage: 'perf-battle ab [--a SIDE] --b SIDE [options]',
    first: ['a', 'b', 'fail-if-slower', ...ofMostBattles, 'results'],
    examples: `  npx perf-battle ab --transport rabbitmq --b '--rabbitmq-confirms on'
  npx perf-battle ab --transport websocket --a ws@8.18 --b ws@8.23
  npx perf-battle ab --transport http --a node@22 --b node@24
  npx perf-battle ab --transport http --b folder=../changed --fail-if-slower 5%
  npx perf-battle ab --transport http --b git=HEAD~1`,
  },
  faults: {
    options: optionsOfFaults,
    listed: ['faults', 'what is lost when a broker or server breaks'],
    about:
      'Kills brokers and servers, and cuts their power, under a steady load, and accounts for every message. It shows what each setting promises, what it keeps, and what it costs. It starts its own brokers and harms no others. A power cut needs root, loop devices and mkfs.ext4. The exit code is 1 if a message was lost despite a promise to keep it, and 3 if a fault of --fault was not possible.',
    usage: 'perf-battle faults [options]',
    first: [
      'fault',
      'tries',
      'restart-after',
      'respawn',
      'resend',
      'all-settings',
      'table',
      'transport',
      'payload',
      'rate',
      'servers',
      'page',
      'json',
    ],
    examples: `  npx perf-battle faults --transport rabbitmq --page faults.html
  npx perf-battle faults --transport rabbitmq --all-settings
  npx perf-battle faults --transport http --fault kill-server --resend`,
  },
  report: {
    options: optionsOfReport,
    listed: ['report, chart [BATTLE]', 'an HTML page on a battle; its charts'],
    about:
      'Writes one HTML page with sentences, tables, charts, reasons, environment and records. It loads nothing from elsewhere. Name BATTLE as in perf-battle compare. With --history, the page shows each figure over all battles of the named journals. perf-battle help compare.md explains the charts.',
    usage: 'perf-battle report [BATTLE | --history [FILE…]] [options]',
    examples: `  npx perf-battle report                            on the newest battle
  npx perf-battle report 3f2a91c0 --page battle.html
  npx perf-battle report other/results.ndjson       of another journal
  npx perf-battle report --history                  on all battles`,
  },
  chart: {
    options: optionsOfChart,
    listed: null,
    about:
      'Writes the charts of the page as SVG files. The same records give the same files. Name BATTLE as in perf-battle compare.',
    usage: 'perf-battle chart [BATTLE] [options]',
    examples: `  npx perf-battle chart                             on the newest battle
  npx perf-battle chart 3f2a91c0 --folder pictures
  npx perf-battle chart --endurox-files 01_tpcall.txt`,
  },
  doctor: {
    options: optionsOfDoctor,
    listed: ['doctor', 'what on this host distorts measurements'],
    about:
      'Examines this host, in about a second: load, cores, frequency, clock, limits, memory, network, disk, brokers. Each finding is ok, a warning or an error, with advice. The exit code is 1 if a finding is an error.',
    usage: 'perf-battle doctor [options]',
    first: ['transport', 'json', 'csv', 'csv-separator'],
    examples: `  npx perf-battle doctor
  npx perf-battle doctor --json | jq '.findings[] | select(.level != "ok")'`,
  },
  ec2: {
    options: ofEc2,
    words: ['up', 'run', 'status', 'down'],
    listed: ['ec2 up|run|status|down', 'a battle on hosts of EC2'],
    about:
      "Creates hosts on EC2, runs a battle between them, and removes them. Hosts cost money: the command shows the price and asks before it creates hosts. run also takes the options of a battle, except those that choose hosts for the roles. It uses the AWS credentials that AWS's own tools find.",
    usage: 'perf-battle ec2 up|run|status|down [options]',
    first: [
      'instance-type',
      'region',
      'zone',
      'key',
      'ssh-from',
      'ttl',
      'credits',
      'broker-with-server',
      'yes',
      'keep',
      'json',
      'transport',
      'payload',
      'workload',
      'quick',
      'results',
    ],
    examples: `  npx perf-battle ec2 run --instance-type t2.micro,m4.xlarge
  npx perf-battle ec2 run --instance-type t3.small --transport rabbitmq --quick
  npx perf-battle ec2 up --instance-type t2.micro    hosts for --client-on
  npx perf-battle ec2 status
  npx perf-battle ec2 down                           remove the hosts`,
  },
  init: {
    options: optionsOfInit,
    words: ['transport', 'adapter'],
    listed: ['init', 'initial settings, a transport or an adapter'],
    about:
      'Writes initial settings into this folder: .env, with a few settings as comments, and perf-battle.config.json, with two scenarios. With transport NAME it writes a transport into the folder NAME, with tests (perf-battle help your-own-transport). With adapter NAME it writes a server and a client for --external into the folder NAME, in the language of --language (perf-battle help your-program). An existing file stays as it is.',
    usage: 'perf-battle init [transport NAME | adapter NAME] [options]',
    examples: `  npx perf-battle init
  npx perf-battle init transport hexagon            into the folder hexagon
  npx perf-battle init adapter mine --language go   into the folder mine`,
  },
  install: {
    options: optionsOfInstall,
    words: Object.keys(installable()),
    listed: ['install [NAME…]', 'packages and brokers for transports'],
    about: `Installs what a transport or a command needs beyond the default battle. npm packages, of one version each, go into the cache of perf-battle. The program of a broker comes from the system's packages, which needs root or sudo. Names: ${Object.keys(installable()).join(', ')}. A group stands for its transports: ${transportGroups.join(', ')}. Of a transport of your own, named by its path or its package, it says what is missing.`,
    usage: 'perf-battle install [NAME…] [--json]',
    examples: `  npx perf-battle install                           what can be installed
  npx perf-battle install nats`,
  },
  serve: {
    options: [],
    words: transportNames,
    listed: ['serve, call NAME', 'the two halves of a transport, by hand'],
    about:
      'Runs the server of a transport by hand, until it is stopped (Ctrl-C). NAME is a transport as in --transport. The server takes the settings of a battle, as options, PB_ variables or in .env. perf-battle call NAME is its client.',
    usage: 'perf-battle serve NAME [options]',
    examples: `  npx perf-battle serve udp
  npx perf-battle call udp --payload 100kb          from another terminal
  npx perf-battle serve udp --help                  the settings of this server`,
  },
  call: {
    options: [],
    words: transportNames,
    listed: null,
    about:
      'Runs the client of a transport by hand, and prints its round-trip times. NAME is a transport as in --transport. The client takes the settings of a battle, as options, PB_ variables or in .env. perf-battle serve NAME is its server.',
    usage: 'perf-battle call NAME [options]',
    examples: `  npx perf-battle call udp --payload 100kb          5000 requests, on this host
  npx perf-battle call udp --server-address 192.0.2.7
  npx perf-battle call udp --help                   the settings of this client`,
  },
  'check-transport': {
    options: optionsOfCheckTransport,
    listed: ['check-transport, check-adapter', 'check your own transport or program'],
    about:
      'Checks whether a transport of your own keeps its contract: bytes, order, parts, several requests in flight, back-pressure, and how both ends close. perf-battle help your-own-transport describes the contract. The command also takes the settings of the transport, as options, PB_ variables or in .env, and checks each combination of their values. The exit code is 1 if a check fails.',
    usage: 'perf-battle check-transport NAME|PATH [options]',
    first: ['broker', 'json', 'csv', 'csv-separator'],
    examples: `  npx perf-battle check-transport ./lines
  npx perf-battle check-transport http --http-server node,express
  npx perf-battle check-transport websocket --json`,
  },
  'check-adapter': {
    options: optionsOfCheckAdapter,
    listed: null,
    about:
      'Checks whether two programs keep their contract: whether they measure what they are asked to, notice wrong and missing replies, and end when they should. perf-battle help adapter-contract describes the contract. The exit code is 1 if a check fails.',
    usage: 'perf-battle check-adapter --external NAME=SERVER,CLIENT [options]',
    first: [...ofPrograms, 'broker', 'json', 'csv', 'csv-separator'],
    examples: `  npx perf-battle check-adapter --external 'Go=./echo server,./echo client'`,
  },
  completion: {
    options: optionsOfCompletion,
    words: ['bash', 'zsh', 'fish'],
    listed: ['completion bash|zsh|fish', 'completion of commands and options'],
    about:
      'Prints a script with which the shell completes commands, options and their choices, once perf-battle is installed globally.',
    usage: 'perf-battle completion bash|zsh|fish [--transport ./MINE] [--json]',
    examples: `  eval "$(perf-battle completion bash)"          in ~/.bashrc
  eval "$(perf-battle completion zsh)"           in ~/.zshrc, after compinit
  perf-battle completion fish | source           in ~/.config/fish/config.fish`,
  },
  help: {
    options: [],
    listed: ['help [TOPIC]', 'all, a COMMAND, OPTION, transport or PAGE'],
    about:
      'Explains a command, an option, or the options of a transport, a workload, a kind of broker or a group; or prints a page of the documentation. If a command and a page share a name, compare is the command and compare.md is the page. Without TOPIC it lists the pages.',
    usage: 'perf-battle help [TOPIC]',
    examples: `  npx perf-battle help all                          all options of a battle
  npx perf-battle help rabbitmq                     options of one transport
  npx perf-battle help ./mine                       options of one of your own
  npx perf-battle help --payload                    one option in full
  npx perf-battle help reading-results              a page`,
  },
};
