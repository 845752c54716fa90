/** The objects of one type that a feed has sent to its client, to find what changed since. */
import type { ApiObject } from './objects.ts'

export type SentObjects = ReturnType<typeof makeSentObjects>

export function makeSentObjects() {
  let known: ReadonlyMap<string, string> | undefined
  let etag: string | undefined
  return {
    get etag(): string | undefined {
      return etag
    },

    note(objects: readonly ApiObject[], version?: string): void {
      known = new Map(objects.map((one) => [one.id as string, JSON.stringify(one)]))
      etag = version
    },

    /**
     * Changes by id. A null id stands for all objects, if it is unknown what the client has; a null object was deleted.
     */
    findChanges(now: readonly ApiObject[]): [id: string | null, object: ApiObject | null][] {
      const before = known
      if (!before) return [[null, null]]
      const ids = new Set(now.map(({ id }) => id))
      const gone = [...before.keys()].filter((id) => !ids.has(id))
      const changed = now.filter((one) => before.get(one.id as string) !== JSON.stringify(one))
      return [
        ...changed.map((one): [string, ApiObject] => [one.id as string, one]),
        ...gone.map((id): [string, null] => [id, null]),
      ]
    },
  }
}
