/**
 * Makes the exit code of this process a failure until its outcome is known. When a promise is never settled and nothing else is open, such as a socket
 * or a timer, Node.js ends the process early; that is no success.
 * @param {(message: string) => void} report shows such an end
 * @returns {(exitCode: number) => void} sets the outcome
 */
export function failUntilSettled(report) {
  process.exitCode = 1;
  const onEmpty = () =>
    report(
      'This process ended before its work was done, because nothing was left that it could wait for. That is a defect of perf-battle or of a library.',
    );
  process.once('beforeExit', onEmpty);
  return (exitCode) => {
    process.removeListener('beforeExit', onEmpty);
    process.exitCode = exitCode;
  };
}
