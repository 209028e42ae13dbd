import {readdirSync, readlinkSync} from 'node:fs';

/**
 * The network namespaces of processes, as the kernel numbers them.
 * @param {readonly number[]} pids those that have ended are left out
 * @returns {Set<string>} without that of this process
 */
export function networkNamespacesOf(pids) {
  const own = networkNamespaceOf('self');
  const found = pids.flatMap((pid) => networkNamespaceOf(String(pid)) ?? []);
  return new Set(found.filter((namespace) => namespace !== own));
}

/**
 * All processes in some network namespaces, whoever started them.
 * @param {ReadonlySet<string>} namespaces
 * @returns {number[]}
 */
export function processesInNetworkNamespaces(namespaces) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && namespaces.has(networkNamespaceOf(name) ?? ''))
    .map(Number);
}

/** @param {string} pid */
function networkNamespaceOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return null;
  }
}
