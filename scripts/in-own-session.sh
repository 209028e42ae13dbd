#!/bin/sh
# Runs Node.js in a session of its own, for scripts/run-tests.js.
exec setsid "$TEST_NODE" "$@"
