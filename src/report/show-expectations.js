import {painter, widthOf, wrapIndented} from './terminal.js';

/** @import {Judgement} from '../expect/judge.js' */

/** @type {Record<Judgement['outcome'], {colour: 'green' | 'red' | 'magenta', annotation: 'error' | 'warning' | null}>} */
const looks = {
  holds: {colour: 'green', annotation: null},
  fails: {colour: 'red', annotation: 'error'},
  'cannot tell': {colour: 'magenta', annotation: 'warning'},
};

const outcomeWidth = Math.max(...Object.keys(looks).map(({length}) => length));

/**
 * Prints what became of each expectation, a line each. In a workflow on GitHub, those that do not hold are annotations, too.
 *
 * @param {readonly Judgement[]} judgements
 * @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>} stream
 * @param {{quiet?: boolean, environment?: NodeJS.ProcessEnv}} [how] quiet: without those that hold
 */
export function showExpectations(judgements, stream, {quiet = false, environment = process.env} = {}) {
  const shown = quiet ? judgements.filter(({outcome}) => outcome !== 'holds') : judgements;
  if (shown.length === 0) return;
  const paint = painter(stream);
  const width = widthOf(stream);
  stream.write(quiet ? '' : '\nExpectations:\n');
  for (const {outcome, sentence} of shown) {
    const [first, ...rest] = wrapIndented(sentence, width - outcomeWidth - 2);
    const indent = ' '.repeat(outcomeWidth + 2);
    const lines = [paint(looks[outcome].colour, outcome.padEnd(outcomeWidth + 2)) + first];
    stream.write(`${[...lines, ...rest.map((line) => indent + line)].join('\n')}\n`);
  }
  if (environment.GITHUB_ACTIONS === 'true') for (const judgement of shown) annotate(judgement, stream);
}

/**
 * Workflow commands of GitHub (docs.github.com, "Workflow commands"): percent signs and line breaks are escaped.
 * @param {Judgement} judgement
 * @param {Pick<NodeJS.WriteStream, 'write'>} stream
 */
function annotate({outcome, sentence}, stream) {
  const {annotation} = looks[outcome];
  if (annotation === null) return;
  const escaped = `${outcome}: ${sentence}`.replace(/[%\r\n]/g, encodeURIComponent);
  stream.write(`::${annotation} title=perf-battle::${escaped}\n`);
}
