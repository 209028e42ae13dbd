import {UsageError} from '../errors.js';
import {quote} from '../files/quote.js';
import {readCommandLine} from '../options/command-line.js';
import {onOff} from '../options/types.js';
import {printJson} from '../report/for-programs.js';
import {bringTransports, namesIn} from '../settings/bring-transports.js';
import {optionsOfCompletion} from '../settings/index.js';
import {topicNames} from './help.js';
import {helpPages} from './help-pages.js';
import {readFlagsAndWords} from './read-settings.js';

/** @import {Option} from '../options/contract.js' */

/**
 * `perf-battle completion bash|zsh|fish`: prints a script with which the shell completes this command. Only a flag names transports of the user: a
 * shell may run this command in any folder.
 * @param {readonly string[]} commandLine
 */
export async function completion(commandLine) {
  await bringTransports(namesIn(readCommandLine(optionsOfCompletion, commandLine).flags.transport ?? []));
  const {values, words} = readFlagsAndWords(commandLine, optionsOfCompletion);
  const [shell, ...more] = words;
  if (!Object.hasOwn(scripts, shell ?? '') || more.length > 0) {
    const given = shell === undefined ? 'nothing' : quote([shell, ...more].join(' '));
    throw new UsageError(
      `completion must be followed by one of ${Object.keys(scripts).join(', ')}; it was given ${given}. See perf-battle completion --help.`,
    );
  }
  const script = scripts[shell]({...helpPages, help: {...helpPages.help, words: topicNames()}});
  if (values.json) printJson({shell, script});
  else process.stdout.write(script);
  return 0;
}

/** The command that runs if the command line names no command. */
const unnamed = 'battle';

/** @typedef {Readonly<Record<string, {options: readonly Option[], words?: readonly string[]}>>} Commands */

/** By shell. Options with few values are completed with values, too. @type {Readonly<Record<string, (commands: Commands) => string>>} */
const scripts = {bash, zsh, fish};

/** @param {Commands} commands */
function bash(commands) {
  const all = Object.values(commands).flatMap((command) => command.options);
  // An option occurs more than once if a command has a help text of its own for the option.
  const options = [...new Map(all.map((option) => [option.name, option])).values()];
  const flags = Object.entries(commands).map(([name, command]) => {
    const words = command.options.map((option) => `--${option.name}`);
    return `  ${name}) flags='${[...words, '--help', '--version', ...(command.words ?? [])].join(' ')}' ;;`;
  });
  const values = options
    .filter((option) => choicesOf(option).length > 0)
    .map((option) => `  --${option.name}) values='${choicesOf(option).join(' ')}' ;;`);
  const others = options.filter((option) => choicesOf(option).length === 0 && option.type !== onOff);
  return `# Completes perf-battle in bash: eval "$(perf-battle completion bash)"
_perf_battle() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command=${unnamed} flags= values= begun=
  # bash splits --flag=value in three.
  if [ "$word" = = ]; then word=; elif [ "$before" = = ]; then before=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  case \${COMP_WORDS[1]} in ${namesOf(commands).join('|')}) command=\${COMP_WORDS[1]} ;; esac
  case $command in
${flags.join('\n')}
  esac
  [ "$COMP_CWORD" = 1 ] && flags="$flags ${namesOf(commands).join(' ')}"
  case $before in
${values.join('\n')}
  ${others.map(({name}) => `--${name}`).join('|')}) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
  esac
  case $word in *,*) begun=\${word%,*}, ;; esac
  mapfile -t COMPREPLY < <(compgen -P "$begun" -W "\${values:-$flags}" -- "\${word##*,}")
}
complete -o nosort -F _perf_battle perf-battle
`;
}

/** @param {Commands} commands */
function zsh(commands) {
  const described = Object.entries(commands).map(([name, {options, words = []}]) => {
    const flags = options.map((option) => {
      const choices = choicesOf(option);
      const value = choices.length > 0 ? `:value:_values -s , value ${choices.join(' ')}` : ':value:_files';
      return `'*--${option.name}${option.type === onOff ? '' : '='}${zshText(option)}${option.type === onOff ? '' : value}'`;
    });
    const first = words.length > 0 ? [`'1:action:(${words.join(' ')})'`] : [];
    return `  ${name}) _arguments '--help[Show the help.]' ${[...first, ...flags].join(' \\\n    ')} ;;`;
  });
  return `# Completes perf-battle in zsh: eval "$(perf-battle completion zsh)"
_perf_battle() {
  local command=${unnamed}
  case $words[2] in
  ${namesOf(commands).join('|')})
    command=$words[2]
    shift words
    (( CURRENT-- ))
    ;;
  *)
    (( CURRENT == 2 )) && [[ $words[2] != -* ]] && compadd ${namesOf(commands).join(' ')}
    ;;
  esac
  case $command in
${described.join('\n')}
  esac
}
compdef _perf_battle perf-battle
`;
}

/** @param {Commands} commands */
function fish(commands) {
  const names = namesOf(commands);
  const lines = Object.entries(commands).flatMap(([name, {options, words = []}]) => {
    const condition =
      name === unnamed
        ? `not __fish_seen_subcommand_from ${names.join(' ')}`
        : `__fish_seen_subcommand_from ${name}`;
    const one = `complete -c perf-battle -n '${condition}'`;
    const flags = options.map((option) => {
      const choices = choicesOf(option);
      const values = choices.length > 0 ? ` -xa '(__fish_append , ${choices.join(' ')})'` : ' -r';
      return `${one} -l ${option.name}${option.type === onOff ? '' : values} -d ${fishText(option.help)}`;
    });
    const named = name === unnamed ? [] : [`complete -c perf-battle -n __fish_use_subcommand -fa ${name}`];
    return [...named, ...(words.length > 0 ? [`${one} -fa '${words.join(' ')}'`] : []), ...flags];
  });
  return `# Completes perf-battle in fish: perf-battle completion fish | source
${lines.join('\n')}
`;
}

/** @param {Commands} commands */
function namesOf(commands) {
  return Object.keys(commands).filter((name) => name !== unnamed);
}

/** @param {Option} option @returns {readonly string[]} empty for a switch */
function choicesOf({type}) {
  return type === onOff ? [] : (type.choices ?? []);
}

/** @param {string} help */
function firstSentence(help) {
  return /^.*?[.?](?= |$)/.exec(help)?.[0] ?? help;
}

/** @param {Option} option @returns {string} in brackets, within single quotes */
function zshText({help}) {
  return `[${firstSentence(help)
    .replace(/[[\]:\\]/g, '\\$&')
    .replaceAll("'", "'\\''")}]`;
}

/** @param {string} help @returns {string} in single quotes */
function fishText(help) {
  return `'${firstSentence(help).replace(/['\\]/g, '\\$&')}'`;
}
