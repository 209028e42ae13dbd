/**
 * What perf-battle has to know of an instance type beforehand. See the EC2 user guide: "Naming conventions" of instance types, "Placement
 * groups", "Burstable performance instances".
 */

/** Types of the published table, on demand in us-east-1, as of 2026: USD an hour. */
const pricesPerHour = /** @type {Record<string, number>} */ ({'t2.micro': 0.0116, 'm4.xlarge': 0.2});

/** Families whose instances AWS does not place in a cluster, beside burstable ones: the oldest, bare Macs and the flexible ones. */
const neverInClusters = /^(t\d|m1|m2|m3|c1|mac|[a-z]\d+[a-z]*-flex)/;

/** @param {string} type such as t2.micro */
export function isBurstable(type) {
  return /^t\d/.test(type);
}

/** @param {string} type */
export function allowsCluster(type) {
  return !neverInClusters.test(type);
}

/**
 * The public parameter that names the image of Amazon Linux 2023. Types for AWS's own processors have a g behind the generation, and a1.
 * @param {string} type
 */
export function imageParameterFor(type) {
  const isArm = /^(a1|[a-z]+\d+g)/.test(type);
  return `/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-${isArm ? 'arm64' : 'x86_64'}`;
}

/** @param {string} type @returns {number | null} USD an hour, where it is known here */
export function priceOf(type) {
  return pricesPerHour[type] ?? null;
}
