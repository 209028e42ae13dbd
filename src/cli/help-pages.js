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
  optionsOfInit,
  optionsOfInstall,
  optionsOfReport,
  optionsOfTable,
} from '../settings/index.js';
import {transportNames} from '../transports/index.js';
import {shells} from './completion-scripts.js';
import {installable} from './installable.js';

/** @import {Option} from '../options/option.js' */

/**
 * What help, the manual page and the completions of shells have on each command. words: those that may follow it
 * @type {Readonly<Record<string, {options: readonly Option[], usage: string, words?: readonly string[]}>>}
 */
export const helpPages = {
  battle: {
    options: optionsOfBattle,
    usage: `Examples:
  npx perf-battle                                   run the whole battle on this host, up to about 5 minutes
  npx perf-battle --quick                           take a first look, about a minute
  npx perf-battle --transport rabbitmq --payload 1kb,100kb --delivery-mode 2
  npx perf-battle --transport rabbitmq --rabbitmq-confirms off,on
  npx perf-battle --client-on a --server-on b --broker-on c    run the roles on other hosts, over ssh
  npx perf-battle --dry-run                         show what would run, and in which order
  npx perf-battle table --into README.md            make the table again, from the journal
  npx perf-battle doctor                            what on this host distorts a measurement?
  npx perf-battle choose --payload 10kb --rate 2000 --p99 10ms    which transports meet that?
  npx perf-battle compare                           compare the newest battle with the one before
  npx perf-battle ab --transport rabbitmq --b '--rabbitmq-confirms on'    two sides in the same rounds
  npx perf-battle report                            write one HTML page on the newest battle
  npx perf-battle --expect 'rabbitmq 1kb p99 < 5ms'    exit with code 4 if that does not hold
  npx perf-battle --external 'Go=./echo server,./echo client'    programs of your own beside the others

Measures round-trip times of HTTP, WebSockets, RabbitMQ and NATS beside raw TCP. It prints a table and appends rows to results.md.

Usage: perf-battle [options]
       perf-battle table [options]                    (see perf-battle table --help)
       perf-battle doctor [options]                   (see perf-battle doctor --help)
       perf-battle choose --rate ... --p99 ...        (see perf-battle choose --help)
       perf-battle ab --a SIDE --b SIDE [options]     (see perf-battle ab --help)
       perf-battle compare [OLD [NEW]] [options]      (see perf-battle compare --help)
       perf-battle report [BATTLE] [options]          (see perf-battle report --help)
       perf-battle chart [BATTLE] [options]           (see perf-battle chart --help)
       perf-battle ec2 up|run|status|down [options]   (see perf-battle ec2 --help)
       perf-battle check-adapter --external ...       (see perf-battle check-adapter --help)
       perf-battle check-transport NAME|PATH          (see perf-battle check-transport --help)
       perf-battle install [NAME...]                  (see perf-battle install --help)
       perf-battle completion bash|zsh|fish           (see perf-battle completion --help)
       perf-battle init                               (see perf-battle init --help)
       perf-battle serve NAME, call NAME              (see perf-battle serve --help)

Options can also be set by their PB_ names in the environment or in .env. Separate the values of a list with commas, or
repeat the option.`,
  },
  table: {
    options: optionsOfTable,
    usage: `Examples:
  npx perf-battle table                             print the newest results as a markdown table
  npx perf-battle table --detail                    add interval, percentiles, CPU and verdict
  npx perf-battle table --json                      print their records
  npx perf-battle table --csv > results.csv         the same for a spreadsheet
  npx perf-battle table --into README.md            write it between the markers of a file
  npx perf-battle table --into README.md --check    exit with code 1 if that file is out of date

Usage: perf-battle table [options]`,
  },
  doctor: {
    options: optionsOfDoctor,
    usage: `Examples:
  npx perf-battle doctor
  npx perf-battle doctor --json | jq '.findings[] | select(.level != "ok")'

Usage: perf-battle doctor [options]

Examines this host, in about a second: load, cores, frequency, clock, limits, memory, network, disk, brokers. Each finding
is ok, a warning or an error, with what to do about it. The exit code is 1 if one is an error.`,
  },
  choose: {
    options: optionsOfChoose,
    usage: `Examples:
  npx perf-battle choose --payload 10kb --rate 2000 --p99 10ms
  npx perf-battle choose --rate 500 --p99 5ms --transport rabbitmq,nats --client-on a --server-on b

Usage: perf-battle choose --rate RATE --p99 TIME [--payload SIZE] [options]

Measures response times at this rate, over each transport, and shows which transports stay within the p99. The exit code
is 0 if one does, 4 if none does, and 5 if that cannot be judged. It takes the options of a battle, too.`,
  },
  ab: {
    options: optionsOfAb,
    usage: `Examples:
  npx perf-battle ab --transport rabbitmq --b '--rabbitmq-confirms on'      a setting against the default
  npx perf-battle ab --transport websocket --a ws@8.18 --b ws@8.23          two versions of a library, from npm
  npx perf-battle ab --transport http --a node@22 --b node@24               two versions of Node.js, from npm
  npx perf-battle ab --transport http --b folder=../perf-battle-changed     another folder of perf-battle
  npx perf-battle ab --transport http --b git=HEAD~1                another commit of perf-battle
  npx perf-battle ab --transport http --b folder=../changed --fail-if-slower 5%    exit with code 4 if b is slower by that

Usage: perf-battle ab [--a SIDE] --b SIDE [options]

Runs both sides in the same rounds, and one of them twice, and says whether b is slower or faster. A side has settings of
a transport or of the load, node=PATH, node@VERSION, folder=PATH, git=REF or PACKAGE@VERSION. It takes the options of a battle, too;
the payload is 1 KB unless you name others. docs/ci.md explains the result.`,
  },
  compare: {
    options: optionsOfCompare,
    usage: `Examples:
  npx perf-battle compare                           compare the newest battle with the one before
  npx perf-battle compare 3f2a91c0 latest           compare two battles of results.ndjson, by their ids
  npx perf-battle compare old/results.ndjson results.ndjson      compare the newest figures of two journals
  npx perf-battle compare base.json new.json --fail-if-slower 5%  compare what --json printed; exit with code 4 if it is slower

Usage: perf-battle compare [OLD [NEW]] [options]

OLD and NEW are journals, results files, documents of --json, or battles: the beginning of an id, latest or previous;
other.ndjson#3f2a91c0 is a battle of another journal. docs/ci.md explains the result.`,
  },
  report: {
    options: optionsOfReport,
    usage: `Examples:
  npx perf-battle report                            write report.html, on the newest battle of results.ndjson
  npx perf-battle report 3f2a91c0 --page battle.html    on a battle, by the beginning of its id
  npx perf-battle report other/results.ndjson       on the newest battle of another journal

Usage: perf-battle report [BATTLE] [options]

Writes one HTML page with sentences, tables, charts, reasons, environment and records. It loads nothing from elsewhere.
Name BATTLE as in perf-battle compare. docs/compare.md explains the charts.`,
  },
  chart: {
    options: optionsOfChart,
    usage: `Examples:
  npx perf-battle chart                             write charts/*.svg, on the newest battle of results.ndjson
  npx perf-battle chart 3f2a91c0 --folder pictures    on a battle, by the beginning of its id
  npx perf-battle chart --endurox-files 01_tpcall.txt    the data files that --export endurox writes

Usage: perf-battle chart [BATTLE] [options]

Writes the charts of the page as SVG files. The same records give the same files. Name BATTLE as in
perf-battle compare.`,
  },
  'check-adapter': {
    options: optionsOfCheckAdapter,
    usage: `Examples:
  npx perf-battle check-adapter --external 'Go=./echo server,./echo client'

Usage: perf-battle check-adapter --external NAME=SERVER,CLIENT

Checks whether two programs keep the contract of docs/adapter-contract.md: that they measure what they are asked to, notice wrong and
missing replies, and end when they should. The exit code is 1 if a check fails.`,
  },
  'check-transport': {
    options: optionsOfCheckTransport,
    usage: `Examples:
  npx perf-battle check-transport ./lines
  npx perf-battle check-transport websocket --json

Usage: perf-battle check-transport NAME|PATH [options]

Checks whether a transport of your own keeps the contract of docs/your-own-transport.md: bytes, order, parts, several
requests in flight, back-pressure, and how both ends close. The exit code is 1 if a check fails.`,
  },
  ec2: {
    options: [...new Set([...optionsOfEc2.run, ...optionsOfEc2.up, ...optionsOfEc2.status])],
    words: ['up', 'run', 'status', 'down'],
    usage: `Examples:
  npx perf-battle ec2 run --instance-type t2.micro,m4.xlarge    create hosts of each type, run a battle, remove them
  npx perf-battle ec2 run --instance-type t3.small --transport rabbitmq --quick
  npx perf-battle ec2 up --instance-type t2.micro               create hosts for battles with --client-on and so on
  npx perf-battle ec2 status                                    show which hosts are up
  npx perf-battle ec2 down                                      remove the hosts

Usage: perf-battle ec2 up|run|status|down [options]

Hosts cost money: the command shows the price and asks before it creates any. run also takes the options of a battle
(see perf-battle --help), except those that choose hosts for the roles. The AWS credentials are those
that AWS's own tools find.`,
  },
  completion: {
    options: optionsOfCompletion,
    words: shells,
    usage: `Examples:
  eval "$(perf-battle completion bash)"             in ~/.bashrc
  eval "$(perf-battle completion zsh)"              in ~/.zshrc, after compinit
  perf-battle completion fish | source              in ~/.config/fish/config.fish

Usage: perf-battle completion bash|zsh|fish [--json]

Prints a script with which the shell completes commands, options and their choices, once perf-battle is installed globally.`,
  },
  install: {
    options: optionsOfInstall,
    words: Object.keys(installable()),
    usage: `Examples:
  npx perf-battle install                           what can be installed, and what is
  npx perf-battle install nats                      the npm package of NATS, and nats-server

Usage: perf-battle install [NAME...] [--json]

Installs what a transport or a command needs and the default battle does not: npm packages, of one version each, into the
cache of perf-battle, and the program of a broker by the system's packages, which needs root or sudo.
Names: ${Object.keys(installable()).join(', ')}.`,
  },
  init: {
    options: optionsOfInit,
    words: ['transport'],
    usage: `Examples:
  npx perf-battle init
  npx perf-battle init transport hexagon            write a transport of your own, which works, into the folder hexagon

Usage: perf-battle init [--json]
       perf-battle init transport NAME [--json]

Writes initial settings into this folder: .env, with every setting and its default as a comment, and
perf-battle.config.json, with two scenarios. With transport NAME it writes a transport into the folder NAME, with tests
(docs/your-own-transport.md). A file that exists stays as it is.`,
  },
  serve: {
    options: [],
    words: transportNames,
    usage: `Examples:
  npx perf-battle serve udp                         answer requests until it is stopped (Ctrl-C)
  npx perf-battle call udp --payload 100kb          send requests to it, from another terminal or host
  npx perf-battle serve udp --help                  show the settings of this server

Usage: perf-battle serve NAME [options]

Runs the server of a transport by hand. NAME is one of those of --transport. The settings are those of a battle, as
options, PB_ variables or in .env. perf-battle call NAME is its client.`,
  },
  call: {
    options: [],
    words: transportNames,
    usage: `Examples:
  npx perf-battle call udp --payload 100kb          send 5000 requests to a server on this host
  npx perf-battle call udp --server-address 192.0.2.7    on another host
  npx perf-battle call udp --help                   show the settings of this client

Usage: perf-battle call NAME [options]

Runs the client of a transport by hand, and prints its round-trip times. NAME is one of those of --transport. The
settings are those of a battle, as options, PB_ variables or in .env. perf-battle serve NAME is its server.`,
  },
};
