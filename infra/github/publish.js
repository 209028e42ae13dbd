import {createHash} from 'node:crypto';
import {
  addSummary,
  annotate,
  askGithub,
  messageOf,
  pullRequestNumber,
  RefusedError,
  variable,
} from './workflow.js';

/** GitHub refuses longer comments. */
const maxLength = 65_536;
const cut = '\n\nThe rest is in the summary of the run.';
const perPage = 100;

/**
 * Writes a text into the summary of the run and, in a run of a pull request, into a comment there, which the next run of the same job replaces.
 * @param {string} text markdown
 * @param {{comments: boolean, name: string, token: string}} how comments: whether one is wanted; name: of the comment, if a job writes several
 */
export async function publish(text, {comments, name, token}) {
  addSummary(text);
  const pullRequest = pullRequestNumber();
  if (!comments || pullRequest === null) return;
  try {
    await writeComment(text, {pullRequest, name, token});
  } catch (error) {
    // What it would say is in the summary.
    if (error instanceof RefusedError && error.status === 403)
      annotate(
        'notice',
        `There is no comment on the pull request: ${error.message}. The token of a run for a fork may not write; other jobs need the permission pull-requests: write.`,
      );
    else annotate('warning', `The comment on the pull request could not be written: ${messageOf(error)}.`);
  }
}

/**
 * Writes a comment on a pull request, or replaces the text of the one that an earlier run of the same job wrote there under the same name. Other
 * comments of the account stay as they are.
 * @param {string} text
 * @param {{pullRequest: number, name: string, token: string}} where
 */
async function writeComment(text, {pullRequest, name, token}) {
  const mark = markOf(name);
  const whole = `${mark}\n${text}`;
  const body = whole.length > maxLength ? whole.slice(0, maxLength - cut.length) + cut : whole;
  const all = `/issues/${pullRequest}/comments`;
  const earlier = await findEarlier(all, {mark, token});
  if (earlier === null) await askGithub(all, {token, method: 'POST', body: {body}});
  else await askGithub(`/issues/comments/${earlier}`, {token, method: 'PATCH', body: {body}});
}

/** A comment in HTML, which is not shown. @param {string} name */
function markOf(name) {
  const of = [variable('GITHUB_WORKFLOW'), variable('GITHUB_JOB'), name];
  const hash = createHash('sha256').update(JSON.stringify(of)).digest('hex');
  return `<!-- perf-battle compare ${hash.slice(0, 16)} -->`;
}

/** @param {string} all the path of the comments @param {{mark: string, token: string}} which @returns {Promise<number | null>} its id */
async function findEarlier(all, {mark, token}) {
  for (let page = 1; ; page += 1) {
    const comments = await askGithub(`${all}?per_page=${perPage}&page=${page}`, {token});
    const own = comments.find((/** @type {{body?: string}} */ {body}) => body?.startsWith(mark));
    if (own) return own.id;
    if (comments.length < perPage) return null;
  }
}
