/** The colours of a file's changed lines: each side of a hunk is parsed by itself, which is nearly always right. */
import { useEffect, useState } from 'preact/hooks'
import type { Token, Tokens } from '../code-tokens.ts'
import { languageOfFile } from '../languages.ts'
import type { Hunk, PatchLine } from './patch.ts'

export type HunkTokens = readonly { readonly old: Tokens | undefined; readonly new: Tokens | undefined }[]

export function useHunkTokens(hunks: readonly Hunk[], path: string): HunkTokens | undefined {
  const [tokens, setTokens] = useState<{ hunks: readonly Hunk[]; found: HunkTokens }>()
  const language = languageOfFile(path)
  useEffect(() => {
    if (!language) return
    let isWanted = true
    const parseAll = async () => {
      const { parseCode } = await import('../code-tokens.ts')
      const found = []
      for (const { oldText, newText } of hunks) {
        if (!isWanted) return
        found.push({
          old: await parseCode(oldText, language, () => isWanted),
          new: await parseCode(newText, language, () => isWanted),
        })
      }
      if (isWanted) setTokens({ hunks, found })
    }
    // Colours are a nicety: where they can't be loaded, the code is read without.
    parseAll().catch(() => {})
    return () => {
      isWanted = false
    }
  }, [hunks, language])
  return tokens?.hunks === hunks ? tokens.found : undefined
}

export function tokensOf(tokens: HunkTokens | undefined, line: PatchLine): readonly Token[] | undefined {
  const side = tokens?.[line.hunk]
  const from = line.kind === 'removed' ? line.oldOffset : line.newOffset
  return (line.kind === 'removed' ? side?.old : side?.new)?.(from, from + line.text.length)
}
