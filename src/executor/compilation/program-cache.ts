/** Compiled programs by content, for all problems and rejudgings; the oldest are evicted beyond a size. */
import type { KeptFile } from '../sandboxes/sandbox.ts'
import type { Compilation } from './compilation.ts'

export type ProgramCache = {
  /** Each result has a file of its own, so that two submissions never share a program's box. */
  find(key: string): Compilation | null
  keep(key: string, compilation: Compilation): void
}

export function makeProgramCache(mostBytes: number): ProgramCache {
  /** In order of use, oldest first. */
  const kept = new Map<string, { readonly program: KeptFile; readonly words: string }>()
  let bytes = 0

  const remove = (key: string) => {
    const found = kept.get(key)
    if (!found) return
    kept.delete(key)
    bytes -= found.program.size
    found.program.drop()
  }
  return {
    find(key) {
      const found = kept.get(key)
      const program = found && linkAgain(found.program)
      if (!found || !program) return null
      kept.delete(key)
      kept.set(key, found)
      return { program, words: found.words }
    },
    keep(key, { program, words }) {
      const own = program && !kept.has(key) ? linkAgain(program) : null
      if (!own) return
      kept.set(key, { program: own, words })
      bytes += own.size
      for (const each of kept.keys()) if (bytes > mostBytes) remove(each)
    },
  }
}

/** Null if the link fails, as on a full disk: then it is compiled again. */
function linkAgain(program: KeptFile): KeptFile | null {
  try {
    return program.again?.() ?? null
  } catch {
    return null
  }
}
