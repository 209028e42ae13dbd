/** Random numbers and shares for simulations. */

/** Returns a standard normal number (Box and Muller, 1958). @param {() => number} random uniform in [0, 1) */
export function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Returns the 95 % interval of a share (Wilson, Journal of the American Statistical Association 22, 1927).
 * @param {number} successes @param {number} trials @returns {[number, number]}
 */
export function shareInterval(successes, trials) {
  const z = 1.96;
  const share = successes / trials;
  const middle = share + z ** 2 / (2 * trials);
  const half = z * Math.sqrt((share * (1 - share)) / trials + z ** 2 / (4 * trials ** 2));
  return [(middle - half) / (1 + z ** 2 / trials), (middle + half) / (1 + z ** 2 / trials)];
}
