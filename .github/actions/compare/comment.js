import {createHash} from 'node:crypto';
import {readFile} from 'node:fs/promises';

/**
 * Writes a comment on a pull request, or replaces the text of the one that an earlier run of the same job wrote there under the same name.
 * Other comments of the account stay as they are.
 *
 * node comment.js FILE, with PULL_REQUEST, GH_TOKEN, COMMENT_NAME, and GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_WORKFLOW and GITHUB_JOB as
 * GitHub sets them
 */
const {GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_WORKFLOW, GITHUB_JOB, GH_TOKEN} = process.env;
const {PULL_REQUEST, COMMENT_NAME = ''} = process.env;
const repository = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}`;
const hash = createHash('sha256').update(JSON.stringify([GITHUB_WORKFLOW, GITHUB_JOB, COMMENT_NAME]));
/** A comment in HTML, which is not shown. */
const mark = `<!-- perf-battle compare ${hash.digest('hex').slice(0, 16)} -->`;

/** GitHub refuses longer comments. */
const maxLength = 65_536;
const cut = '\n\nThe rest is in the summary of the run.';
const perPage = 100;

/** @param {string} url @param {{method?: string, body?: object}} [request] @returns {Promise<any>} */
async function ask(url, {method = 'GET', body} = {}) {
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${GH_TOKEN}`,
      'x-github-api-version': '2022-11-28',
    },
    ...(body && {body: JSON.stringify(body)}),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok)
    throw new Error(`GitHub answered ${response.status} to ${method} ${new URL(url).pathname}`);
  return await response.json();
}

/** @returns {Promise<number | null>} the id of the comment that an earlier run wrote */
async function findEarlier() {
  for (let page = 1; ; page += 1) {
    const comments = await ask(
      `${repository}/issues/${PULL_REQUEST}/comments?per_page=${perPage}&page=${page}`,
    );
    const own = comments.find((/** @type {{body?: string}} */ {body}) => body?.startsWith(mark));
    if (own) return own.id;
    if (comments.length < perPage) return null;
  }
}

const text = `${mark}\n${await readFile(process.argv[2], 'utf8')}`;
const body = text.length > maxLength ? text.slice(0, maxLength - cut.length) + cut : text;
try {
  const earlier = await findEarlier();
  if (earlier === null)
    await ask(`${repository}/issues/${PULL_REQUEST}/comments`, {method: 'POST', body: {body}});
  else await ask(`${repository}/issues/comments/${earlier}`, {method: 'PATCH', body: {body}});
} catch (error) {
  // The comparison itself is in the summary. A run of a fork has a token that may not write.
  const {message, cause} = /** @type {Error & {cause?: Error}} */ (error);
  process.stdout.write(
    `::warning::The comparison could not be written as a comment: ${[message, cause?.message].filter(Boolean).join(': ')}.\n`,
  );
}
