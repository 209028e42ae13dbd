import {TimeLimitError, untilAborted, within} from '../measure/bounds.js';
import {parseCores} from '../measure/cores.js';
import {endInSteps, readLines} from './child-process.js';

/**
 * @import {CoreState} from '../results/types.js'
 * @import {PipedProcess} from './role-process.js'
 * @import {AwakeRequest, ForeignLoad, Host, Hosts, Topology} from './types.js'
 */

const topologyScript = `
while read -r name value; do
  [ "$name" = Cpus_allowed_list: ] && allowed=$value
done < /proc/self/status
echo "allowed $allowed"
read -r boot < /proc/sys/kernel/random/boot_id && echo "machine $boot"
taskset -c "$allowed" true 2>/dev/null && echo taskset
for topology in /sys/devices/system/cpu/cpu[0-9]*/topology; do
  read -r package < "$topology/physical_package_id" && read -r siblings < "$topology/thread_siblings_list" &&
    echo "core $topology $package $siblings"
done 2>/dev/null
`;

/**
 * @param {Pick<Host, 'runShell'>} host
 * @returns {Promise<Topology | null>} null where the host does not tell, such as macOS
 * @throws when the connection to the host ends
 */
export async function readTopology(host) {
  return topologyFrom(await host.runShell(topologyScript));
}

/** @param {string} output of the script @returns {Topology | null} */
export function topologyFrom(output) {
  const {lines, allowed} = linesOf(output);
  if (!allowed) return null;
  const described = new Map(
    lines
      .filter(([word]) => word === 'core')
      .map(([, folder, socket, siblings]) => [
        Number(/cpu(\d+)\/topology$/.exec(folder)?.[1]),
        {package: Number(socket), siblings: parseCores(siblings ?? '')},
      ]),
  );
  const cores = allowed.map((number) => {
    const core = described.get(number);
    return {number, package: core?.package ?? 0, siblings: core?.siblings ?? [number]};
  });
  const machine = lines.find(([word]) => word === 'machine')?.[1] ?? null;
  return {cores, machine, canPin: lines.some(([word]) => word === 'taskset')};
}

/** Long enough for the ticks of /proc/stat: 50 of each core. */
const observedS = 0.5;

/** Prints the times of each core twice, and the cores that this process may use. It starts no program but `sleep`, which costs next to nothing. */
const loadScript = `
cores() {
  while read -r line; do
    case "$line" in cpu*) echo "$line" ;; *) break ;; esac
  done < /proc/stat
}
while read -r name value; do
  [ "$name" = Cpus_allowed_list: ] && echo "allowed $value"
done < /proc/self/status
cores && sleep ${observedS} && cores
`;

/**
 * Observes a host for half a second. Call it before a battle starts anything there: all CPU time that it sees counts as used by others.
 * @param {Pick<Host, 'name' | 'runShell'>} host
 * @returns {Promise<ForeignLoad | null>} null where the host does not offer it
 * @throws when the connection to the host ends
 */
export async function readForeignLoad(host) {
  const load = foreignLoadFrom(await host.runShell(loadScript));
  return load && {host: host.name, ...load};
}

/** @param {string} output of the script @returns {Omit<ForeignLoad, 'host'> | null} */
export function foreignLoadFrom(output) {
  const {lines, allowed = []} = linesOf(output);
  const cores = allowed.flatMap((core) => {
    const [before, after] = lines.filter(([word]) => word === `cpu${core}`).map((fields) => fields.slice(1));
    return before && after ? [after.map((ticks, index) => Number(ticks) - Number(before[index]))] : [];
  });
  // proc_stat(5): user, nice, system, idle, wait for a disk, interrupts, soft interrupts, steal. The time of guests is a part of user.
  const sumOf = (/** @type {readonly number[]} */ fields) =>
    cores.flatMap((ticks) => fields.map((field) => ticks[field] ?? 0)).reduce((sum, ticks) => sum + ticks, 0);
  const capacity = sumOf([0, 1, 2, 3, 4, 5, 6, 7]);
  if (!(capacity > 0)) return null;
  return {
    cores: cores.length,
    share: sumOf([0, 1, 2, 5, 6, 7]) / capacity,
    stealShare: sumOf([7]) / capacity,
  };
}

/** The words of each line, and the cores that the processes of a battle may use. @param {string} output of a script */
function linesOf(output) {
  const lines = output.split('\n').map((line) => line.trim().split(/\s+/));
  return {lines, allowed: parseCores(lines.find(([word]) => word === 'allowed')?.[1] ?? '')};
}

const script = new URL('keep-awake.js', import.meta.url);
const startsWithinMs = 10_000;
const graceMs = 1000;
/** The threads that measure a distance give way to others. An answer takes about 1 ms on an idle host. */
const distanceWithinMs = 50;
/** After as many successive questions without an answer in time, no further question follows. */
const maxUnanswered = 3;
/** T types of EC2 earn CPU credits while they are idle. */
const isBurstable = /^t\d/;

/**
 * The cores that a battle keeps awake while it measures: a process on each host, which ends with the battle.
 */
export class AwakeCores {
  /** pid: null until it is ready. @type {Map<Host, {child: PipedProcess, pid: number | null, exited: Promise<void>}>} */
  #loops = new Map();
  #isComplete = true;
  /** Whether all idle cores poll. */
  #doPoll = true;
  /** The process that is asked for the distance of its two cores; null: none is. @type {PipedProcess | null} */
  #asked = null;
  #questions = 0;
  #unanswered = 0;
  /** @type {(answer: {question: number, ns: number | null}) => void} */
  #onAnswer = () => {};

  /**
   * Starts what keeps them awake. Until `on`, they sleep. Unless a person wants it, cores of instances that pay for CPU time in credits sleep.
   * @param {Pick<Hosts, 'all' | 'placement'>} hosts @param {AwakeRequest} request
   */
  static async start(hosts, {wanted, polling = true, instanceTypeOf, log, signal}) {
    const awake = new AwakeCores();
    try {
      for (const host of wanted === 'sleeping' ? [] : hosts.all) {
        const used = hosts.placement.used(host);
        const type = instanceTypeOf(host);
        // Loops would slow threads that may run on any core.
        const loops = wanted !== null || used.length > 0;
        const refuse = (/** @type {string} */ reason) => {
          awake.#isComplete = false;
          if (loops) log(`The cores of ${host.name} may sleep while it is measured: ${reason}.`);
        };
        if (!loops && host.isRemote) awake.#isComplete = false;
        else if (wanted === null && type && isBurstable.test(type))
          refuse(`a ${type} pays in CPU credits for what keeps them awake`);
        else
          await awake.#startOn(
            host,
            {cores: used.length > 0 ? used : null, polling, loops},
            {refuse, signal},
          );
        const isOnly = hosts.all.length === 1 && !host.isRemote && used.length === 2;
        if (isOnly) awake.#asked = awake.#loops.get(host)?.child ?? null;
      }
    } catch (error) {
      await awake.end();
      throw error;
    }
    return awake;
  }

  /** @returns {CoreState} of the cores of all hosts while it is on */
  get state() {
    if (!this.#isComplete || this.#loops.size === 0) return 'sleeping';
    return this.#doPoll ? 'polling' : 'awake';
  }

  /** @param {Host} host @returns {number | null} of the process that keeps its cores awake; null if there is none */
  pidOn(host) {
    return this.#loops.get(host)?.pid ?? null;
  }

  on() {
    this.#tell('on');
  }

  off() {
    this.#tell('off');
  }

  /**
   * Measures how far apart the two cores of this host are now. A hypervisor may move them.
   * @returns {Promise<number | null>} ns, the time of a cache line from one core to the other and back; null: unknown, also on several hosts and with
   *   other numbers of cores
   */
  distance() {
    const asked = this.#asked;
    if (!asked?.stdin.writable || this.#unanswered >= maxUnanswered) return Promise.resolve(null);
    this.#questions += 1;
    const number = this.#questions;
    return new Promise((resolve) => {
      const finish = (/** @type {number | null} */ ns) => {
        clearTimeout(timer);
        this.#onAnswer = () => {};
        this.#unanswered = ns === null ? this.#unanswered + 1 : 0;
        resolve(ns);
      };
      const timer = setTimeout(() => finish(null), distanceWithinMs);
      // A late answer to an earlier question is ignored.
      this.#onAnswer = ({question, ns}) => {
        if (question === number) finish(ns);
      };
      asked.stdin.write(`distance ${number}\n`);
    });
  }

  async end() {
    const ending = [...this.#loops.values()].map(({child, exited}) =>
      endInSteps(exited, [() => child.stdin.end(), () => child.kill('SIGKILL')], graceMs),
    );
    this.#loops.clear();
    await Promise.all(ending);
  }

  /**
   * @param {Host} host
   * @param {{cores: readonly number[] | null, polling: boolean, loops: boolean}} wanted cores: null: all that it may use
   * @param {{refuse: (reason: string) => void, signal: AbortSignal}} deps
   */
  async #startOn(host, wanted, {refuse, signal}) {
    const child = await host.startBesideRoles(script);
    child.stdin.on('error', () => {});
    /** @type {Promise<void>} */
    const exited = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => resolve());
      child.once('lost', () => resolve());
    });
    /** @type {Promise<{event: string, pid?: number, state?: string, reason?: string}>} */
    const answered = new Promise((resolve) => {
      const fail = (/** @type {string} */ reason) => resolve({event: 'failed', reason});
      const read = (/** @type {string} */ line) => {
        // Another host may greet with lines of its own.
        if (!line.startsWith('{"event":')) return;
        const event = JSON.parse(line);
        if (event.event === 'distance') this.#onAnswer(event);
        else resolve(event);
      };
      readLines(child.stdout, read, fail);
      exited.then(() => fail('what keeps them awake ended'));
    });
    child.stderr.resume();
    child.stdin.write(`${JSON.stringify(wanted)}\n`);
    this.#loops.set(host, {child, pid: null, exited});
    /** @type {Awaited<typeof answered>} */
    const answer = await within(startsWithinMs, signal, (soon) => untilAborted(answered, soon)).catch(
      (error) => {
        if (!(error instanceof TimeLimitError)) throw error;
        return {event: 'failed', reason: 'what keeps them awake did not start'};
      },
    );
    const {event, pid = null, state, reason = ''} = answer;
    if (event !== 'ready' || pid === null) {
      this.#loops.delete(host);
      refuse(reason);
      child.kill('SIGKILL');
      return await exited;
    }
    this.#loops.set(host, {child, pid, exited});
    if (state !== 'polling') this.#doPoll = false;
    exited.then(() => {
      if (this.#loops.delete(host)) refuse('what kept them awake has ended');
    });
  }

  /** @param {string} word */
  #tell(word) {
    for (const {child} of this.#loops.values()) if (child.stdin.writable) child.stdin.write(`${word}\n`);
  }
}
