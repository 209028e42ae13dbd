/**
 * @template {string} Name
 * @param {readonly {[Key in Name]?: number | null}[]} list
 * @param {Name} name
 * @returns {number | null} null where one is not known
 */
export function sumOfKnown(list, name) {
  return valuesOf(list, name)?.reduce((sum, one) => sum + one, 0) ?? null;
}

/**
 * @template {string} Name
 * @param {readonly {[Key in Name]?: number | null}[]} list at least one
 * @param {Name} name
 * @returns {number | null} null where one is not known
 */
export function maxOfKnown(list, name) {
  const values = valuesOf(list, name);
  return values && Math.max(...values);
}

/**
 * @template {string} Name
 * @param {readonly {[Key in Name]?: number | null}[]} list
 * @param {Name} name
 */
function valuesOf(list, name) {
  const known = list.flatMap(({[name]: one}) => one ?? []);
  return known.length === list.length ? known : null;
}
