/** A gate: so many at a time, the others wait in line. A crowd of clones must not start a crowd of processes. */

/** `who`: nobody has more than their part of the width, so that one who dawdles inside does not keep all others out. */
export type Gate = <T>(act: () => Promise<T>, who?: string) => Promise<T>

export function makeGate(width: number, part = width): Gate {
  let inside = 0
  const each = new Map<string, number>()
  const waiting: { readonly who: string; readonly enter: () => void }[] = []

  const hasRoom = (who: string) => inside < width && (each.get(who) ?? 0) < part

  function count(who: string, step: 1 | -1): void {
    inside += step
    const now = (each.get(who) ?? 0) + step
    if (now > 0) each.set(who, now)
    else each.delete(who)
  }

  function letNextIn(): void {
    const at = waiting.findIndex(({ who }) => hasRoom(who))
    if (at < 0) return
    const [next] = waiting.splice(at, 1)
    count(next!.who, 1)
    next!.enter()
  }

  return async (act, who = '') => {
    // Who waits for room of their own is no reason for the others to.
    if (hasRoom(who)) count(who, 1)
    else await new Promise<void>((enter) => waiting.push({ who, enter }))
    try {
      return await act()
    } finally {
      count(who, -1)
      letNextIn()
    }
  }
}
