/**
 * Items by what they have in common, in the order in which they come.
 * @template Item, Key
 * @param {readonly Item[]} items
 * @param {(item: Item) => Key} keyOf
 * @returns {Map<Key, Item[]>}
 */
export function groupBy(items, keyOf) {
  /** @type {Map<Key, Item[]>} */
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
