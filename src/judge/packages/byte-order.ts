/** The order that packages judge their tests in: by the bytes of their names. Each name is written as bytes once. */
export function inByteOrder<T>(items: readonly T[], nameOf: (item: T) => string): T[] {
  return items
    .map((item) => ({ item, bytes: Buffer.from(nameOf(item)) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ item }) => item)
}
