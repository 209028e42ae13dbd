#!/usr/bin/env node
/**
 * The step of .github/actions/compare: writes the comparison of $OLD and $NEW into the summary of the run, and into a comment on the pull request. It
 * ends with the exit code of the comparison: 4 if a cell is slower by $FAIL_IF_SLOWER, 5 if that cannot be judged, unless $ALLOW_UNKNOWN is true.
 */
import {codeOfJob, compareSides} from './compare-sides.js';
import {publish} from './publish.js';
import {isTrue, runScript, variable} from './workflow.js';

await runScript(async () => {
  const allowsUnknown = isTrue('allow-unknown');
  const comments = isTrue('comment');
  const {code, markdown} = await compareSides(variable('OLD'), variable('NEW'), {
    failIfSlower: variable('FAIL_IF_SLOWER'),
  });
  if (markdown === '') return code;
  await publish(markdown, {comments, name: variable('NAME'), token: variable('GH_TOKEN')});
  return codeOfJob(code, allowsUnknown);
});
