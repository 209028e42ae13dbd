#!/usr/bin/env bash
# Writes the comparison of $OLD and $NEW into the summary of the run and, if $PULL_REQUEST has its number, into a comment there, which the
# next run replaces. Ends with the exit code of the comparison: 4 if a cell is slower by $FAIL_IF_SLOWER, 5 if that cannot be told.
set -euo pipefail

gate=()
if [ -n "${FAIL_IF_SLOWER:-}" ]; then gate=(--fail-if-slower "$FAIL_IF_SLOWER"); fi
text=$(mktemp)
trap 'rm -f "$text"' EXIT

status=0
# shellcheck disable=SC2086 # a command and its words
$PERF_BATTLE compare "$OLD" "$NEW" "${gate[@]}" --markdown >"$text" || status=$?
if [ "$status" -ne 0 ] && [ "$status" -ne 4 ] && [ "$status" -ne 5 ]; then exit "$status"; fi

cat "$text" >>"$GITHUB_STEP_SUMMARY"
if [ -n "${PULL_REQUEST:-}" ]; then
  gh pr comment "$PULL_REQUEST" --repo "$GITHUB_REPOSITORY" --body-file "$text" --edit-last --create-if-none ||
    echo '::warning::The comparison could not be written as a comment: the token may not write, as for a fork.'
fi
exit "$status"
