/** Counts the bytes that one turn of the event loop deals with: what is serialised, escaped, cloned and read from SQLite. */
import { StatementSync } from 'node:sqlite'

export type TurnMeter = {
  /** The most that one turn had since the last time it was asked, and of which kind. */
  take(): { readonly bytes: number; readonly kinds: Readonly<Record<string, number>> }
  stop(): void
}

/** What is shorter costs next to nothing, and there is very much of it. */
const countedLength = 4_096

export function startTurnMeter(): TurnMeter {
  let kinds: Record<string, number> = {}
  let most = { bytes: 0, kinds }
  let isOver = false
  const count = (kind: string, bytes: number) => {
    if (bytes >= countedLength) kinds[kind] = (kinds[kind] ?? 0) + bytes
  }
  const settle = () => {
    const bytes = Object.values(kinds).reduce((sum, one) => sum + one, 0)
    if (bytes > most.bytes) most = { bytes, kinds }
    kinds = {}
  }
  const turn = () => {
    settle()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)

  const { stringify } = JSON
  const { replace } = String.prototype
  const { all } = StatementSync.prototype
  const clone = globalThis.structuredClone
  JSON.stringify = ((...args: Parameters<typeof stringify>) => {
    const text = stringify(...args)
    count('stringify', text?.length ?? 0)
    return text
  }) as typeof stringify
  String.prototype.replace = function (this: string, ...args: Parameters<typeof replace>) {
    count('replace', this.length)
    return replace.apply(this, args)
  } as typeof replace
  StatementSync.prototype.all = function (this: StatementSync, ...args: Parameters<typeof all>) {
    const rows = all.apply(this, args)
    for (const row of rows)
      for (const value of Object.values(row)) if (typeof value === 'string') count('rows', value.length)
    return rows
  } as typeof all
  globalThis.structuredClone = ((...args: Parameters<typeof clone>) => {
    count('clone', stringify(args[0])?.length ?? 0)
    return clone(...args)
  }) as typeof clone

  return {
    take() {
      settle()
      const taken = most
      most = { bytes: 0, kinds: {} }
      return taken
    },
    stop() {
      isOver = true
      JSON.stringify = stringify
      String.prototype.replace = replace
      StatementSync.prototype.all = all
      globalThis.structuredClone = clone
    },
  }
}
