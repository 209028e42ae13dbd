#!/usr/bin/env bash
# Writes the comparison of $OLD and $NEW into the summary of the run and, if $PULL_REQUEST has its number, into a comment there, which the
# next run of the job replaces if it has the same $COMMENT_NAME. Ends with the exit code of the comparison: 4 if a cell is slower by
# $FAIL_IF_SLOWER, 5 if that cannot be told, unless $ALLOW_UNKNOWN is true.
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
  node "$(dirname "$0")/comment.js" "$text"
fi
if [ "$status" -eq 5 ] && [ "${ALLOW_UNKNOWN:-}" = true ]; then
  echo '::warning::It cannot be told of each cell whether it is slower. The summary of the run has the reasons.'
  status=0
fi
exit "$status"
