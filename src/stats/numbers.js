/** @param {number} value @param {number} minimum @param {number} maximum */
export function clamp(value, minimum, maximum) {
  return Math.min(Math.max(value, minimum), maximum);
}

/** Formats a share for a sentence. @param {number} share @param {number} [decimals] */
export function percent(share, decimals = 1) {
  return `${(share * 100).toFixed(decimals)} %`;
}

/** Sorts numbers and removes duplicates. @param {readonly number[]} values */
export function ascending(values) {
  return [...new Set(values)].sort((one, other) => one - other);
}

/**
 * Returns the highest of any number of values. `Math.max(...values)` fails with some 120,000 values, which a plan or a battle may reach.
 * @param {readonly number[]} values not negative @returns {number} 0 for an empty list
 */
export function highest(values) {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

/**
 * @template {string} Name @param {readonly {[Key in Name]?: number | null}[]} list @param {Name} name
 * @returns {number | null} null if a value is unknown
 */
export function sumOfKnown(list, name) {
  return valuesOf(list, name)?.reduce((sum, one) => sum + one, 0) ?? null;
}

/**
 * @template {string} Name @param {readonly {[Key in Name]?: number | null}[]} list at least one
 * @param {Name} name @returns {number | null} null if a value is unknown
 */
export function maxOfKnown(list, name) {
  const values = valuesOf(list, name);
  return values && Math.max(...values);
}

/** @template {string} Name @param {readonly {[Key in Name]?: number | null}[]} list @param {Name} name */
function valuesOf(list, name) {
  const known = list.flatMap(({[name]: one}) => one ?? []);
  return known.length === list.length ? known : null;
}

/** Groups items by a key, in the order of the items. @template Item, Key @param {readonly Item[]} items @param {(item: Item) => Key} keyOf */
export function groupBy(items, keyOf) {
  /** @type {Map<Key, Item[]>} */
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
