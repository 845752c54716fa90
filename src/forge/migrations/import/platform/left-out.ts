/** Counts what an archive has and an import does not bring, by name. */

export type LeftOut = readonly (readonly [what: string, count: number])[]

/** The names of an archive are its own: no more than these are told apart. */
const maxNames = 100

export type LeavingOut = ReturnType<typeof makeLeavingOut>

export function makeLeavingOut() {
  const counts = new Map<string, number>()
  return {
    add(what: string, count = 1): void {
      if (count === 0) return
      const name = counts.has(what) || counts.size < maxNames ? what : 'other things'
      counts.set(name, (counts.get(name) ?? 0) + count)
    },
    list: (): LeftOut => [...counts].sort(([a], [b]) => (a < b ? -1 : 1)),
  }
}
