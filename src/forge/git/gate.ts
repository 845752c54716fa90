/** A gate: so many at a time, the others wait in line. A crowd of clones must not start a crowd of processes. */

export type Gate = <T>(act: () => Promise<T>) => Promise<T>

export function makeGate(width: number): Gate {
  let inside = 0
  const waiting: (() => void)[] = []
  return async (act) => {
    if (inside >= width) await new Promise<void>((enter) => waiting.push(enter))
    else inside++
    try {
      return await act()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else inside--
    }
  }
}
