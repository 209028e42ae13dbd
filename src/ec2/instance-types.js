/**
 * What perf-battle must know about an instance type before it creates hosts. Source: EC2 user guide, "Instance type naming
 * conventions", "Placement groups" and "Burstable performance instances".
 */

/** USD per hour of the types of the published table: on demand, us-east-1, 2026. */
const pricesPerHour = /** @type {Record<string, number>} */ ({'t2.micro': 0.0116, 'm4.xlarge': 0.2});
/** USD per hour for what every host needs in addition: a public IPv4 address, and 8 GiB of gp3 at 0.08 per GiB and month. */
const addressAndDiskPerHour = 0.005 + (8 * 0.08) / 730;

/** Families that AWS does not support in a cluster placement group: burstable, previous generation, Mac and flex types. */
const notInClusters = /^(t\d|m1|m2|m3|c1|mac|[a-z]\d+[a-z]*-flex)/;

/** @param {string} type such as t2.micro */
export function isBurstable(type) {
  return /^t\d/.test(type);
}

/** @param {string} type */
export function allowsCluster(type) {
  return !notInClusters.test(type);
}

/**
 * The public parameter that names the image of Amazon Linux 2023. The arm64 types are a1 and those with a g after the generation.
 * @param {string} type
 */
export function imageParameterFor(type) {
  const isArm = /^(a1|[a-z]+\d+g)/.test(type);
  return `/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-${isArm ? 'arm64' : 'x86_64'}`;
}

/**
 * What hosts cost, with their public addresses and disks.
 * @param {string} type
 * @param {number} hosts
 * @returns {number | null} USD per hour in us-east-1; null when the type's price is unknown
 */
export function costPerHour(type, hosts) {
  const price = pricesPerHour[type];
  return price === undefined ? null : hosts * (price + addressAndDiskPerHour);
}
