#!/usr/bin/env node
/**
 * The step that finds the baseline among the artifacts: its output `run-id` is the newest run for the default branch that has one. Without one there
 * is no output. A run for a fork may have a branch of the same name, so the repository counts, too.
 */
import {artifactName} from './settings.js';
import {
  annotate,
  askGithub,
  defaultBranch,
  RefusedError,
  runScript,
  setOutput,
  variable,
} from './workflow.js';

/** @typedef {{expired: boolean, created_at: string, workflow_run?: {id: number, head_branch: string, repository_id: number, head_repository_id: number}}} Artifact */

await runScript(async () => {
  const branch = defaultBranch();
  const query = `?name=${artifactName()}&per_page=100`;
  const token = variable('GH_TOKEN');
  const {artifacts} = await askGithub(`/actions/artifacts${query}`, {token}).catch((error) => {
    if (!(error instanceof RefusedError && error.status === 403)) throw error;
    throw new Error('The job needs the permission actions: read to find its baseline', {cause: error});
  });
  const [newest] = /** @type {Artifact[]} */ (artifacts)
    .filter(({expired, workflow_run: run}) => !expired && run !== undefined && isOfBranch(run, branch))
    .toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1));
  if (newest?.workflow_run === undefined) annotate('notice', `No run for ${branch} has a baseline yet.`);
  else setOutput('run-id', String(newest.workflow_run.id));
  return 0;
});

/** @param {NonNullable<Artifact['workflow_run']>} run @param {string | null} branch */
function isOfBranch(run, branch) {
  return run.head_branch === branch && run.head_repository_id === run.repository_id;
}
