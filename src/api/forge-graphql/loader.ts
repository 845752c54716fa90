/** A loader: collects the keys that fields ask for one by one, and reads them in batches, each key once. */

export type Loader<K, V> = (key: K) => Promise<V>

/** Keys requested in the same turn of the event loop are collected and read together. */
export function makeLoader<K extends string | number, V>(
  read: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
  missing: (key: K) => V,
): Loader<K, V> {
  const known = new Map<K, Promise<V>>()
  let batch: { readonly keys: K[]; readonly answers: Promise<ReadonlyMap<K, V>> } | undefined

  function openBatch() {
    const keys: K[] = []
    // Promises that are already settled may request more keys, so they run first.
    const answers = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      batch = undefined
      return read(keys)
    })
    return { keys, answers }
  }

  return (key) => {
    let found = known.get(key)
    if (!found) {
      batch ??= openBatch()
      batch.keys.push(key)
      found = batch.answers.then((answers) => answers.get(key) ?? missing(key))
      known.set(key, found)
    }
    return found
  }
}
