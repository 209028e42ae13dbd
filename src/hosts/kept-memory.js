/**
 * The environment of a process whose allocator keeps the memory that the process has freed, up to 128 MiB (mallopt(3) of glibc; other
 * allocators ignore it). By default glibc returns it to the kernel where it can. Whether it can depends on how the heap of that process happens
 * to lie. Then every large message makes the kernel map and clear its pages again: with 500 KB over WebSockets, about 80 page faults of the server
 * per message, and 1.5 times the round-trip time.
 *
 * @satisfies {Record<string, string>}
 */
export const keptMemory = {
  MALLOC_TRIM_THRESHOLD_: String(128 * 1024 * 1024),
  // The largest that glibc accepts. Blocks above it are mapped one by one.
  MALLOC_MMAP_THRESHOLD_: String(32 * 1024 * 1024),
};
