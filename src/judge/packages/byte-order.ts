/** The order in which packages judge their tests: byte order of names. Each name is encoded once. */
export function inByteOrder<T>(items: readonly T[], nameOf: (item: T) => string): T[] {
  return items
    .map((item) => ({ item, bytes: Buffer.from(nameOf(item)) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ item }) => item)
}
