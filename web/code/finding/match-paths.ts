/** Finds paths by letters that occur in them in this order, as editors do: the closest ones first. */

/** Undefined if they do not occur. More is better: whole words in the file's name, then letters side by side. */
export function scorePath(path: string, sought: string): number | undefined {
  const [text, words] = [path.toLowerCase(), sought.toLowerCase().replace(/\s+/g, '')]
  if (words === '') return 0
  const name = text.slice(text.lastIndexOf('/') + 1)
  if (name === words) return 4_000 - path.length
  if (name.startsWith(words)) return 3_000 - path.length
  if (name.includes(words)) return 2_000 - path.length
  if (text.includes(words)) return 1_000 - path.length
  let at = -1
  let gaps = 0
  for (const letter of words) {
    const next = text.indexOf(letter, at + 1)
    if (next < 0) return undefined
    if (at >= 0 && next > at + 1) gaps++
    at = next
  }
  return -gaps * 100 - path.length
}

export function matchPaths(paths: readonly string[], sought: string, limit: number): readonly string[] {
  const found: { readonly path: string; readonly score: number }[] = []
  for (const path of paths) {
    const score = scorePath(path, sought)
    if (score !== undefined) found.push({ path, score })
  }
  if (sought !== '') found.sort((one, other) => other.score - one.score)
  return found.slice(0, limit).map(({ path }) => path)
}
