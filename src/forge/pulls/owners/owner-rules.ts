/** The rules of a CODEOWNERS file: which patterns name which owners. Nothing here reads or writes. */

export type OwnerRule = {
  readonly line: number
  readonly segments: readonly string[]
  readonly owners: readonly string[]
}
export type OwnerFault = {
  readonly line: number
  readonly column: number
  readonly kind: 'Invalid pattern' | 'Invalid owner' | 'Unknown owner'
  readonly source: string
  readonly suggestion: string | null
}
export type OwnerFile = { readonly rules: readonly OwnerRule[]; readonly faults: readonly OwnerFault[] }

/** Of a file that has more lines with rules, the first count. */
export const maxRules = 2_000
const maxOwnersOfRule = 50

const isOwner = (word: string): boolean => /^@[\w.-]+(?:\/[\w.-]+)?$|^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(word)

export function parseOwners(text: string): OwnerFile {
  const rules: OwnerRule[] = []
  const faults: OwnerFault[] = []
  for (const [i, source] of text.split(/\r?\n/).entries()) {
    if (rules.length === maxRules) break
    const [pattern, ...owners] = splitWords(source)
    if (pattern === undefined) continue
    const at = { line: i + 1, source }
    const segments = toSegments(pattern)
    if (!segments) {
      const suggestion = 'Write a pattern without !, [ ] and a backslash before #.'
      faults.push({ ...at, column: 1, kind: 'Invalid pattern', suggestion })
      continue
    }
    const valid = owners.slice(0, maxOwnersOfRule).filter(isOwner)
    for (const wrong of owners.filter((owner) => !isOwner(owner)))
      faults.push({
        ...at,
        column: source.indexOf(wrong) + 1,
        kind: 'Invalid owner',
        suggestion: 'Name @user, @organization/team or an email address.',
      })
    rules.push({ line: i + 1, segments, owners: valid })
  }
  return { rules, faults }
}

/** A blank in a pattern is written `\ `; a comment goes from a `#` at the start of a word to the end of the line. */
function splitWords(line: string): string[] {
  const words = (line.match(/(?:\\.|\S)+/g) ?? []).map((word) => word.replaceAll('\\ ', ' '))
  const comment = words.findIndex((word) => word.startsWith('#'))
  return comment < 0 ? words : words.slice(0, comment)
}

/** As .gitignore has it: one without a slash in its middle is found at any depth, and a folder has all that is in it. */
function toSegments(pattern: string): string[] | undefined {
  if (/^!|[[\]]|^\\#/.test(pattern)) return undefined
  const isFolder = pattern.endsWith('/')
  const parts = pattern.split('/').filter(Boolean)
  if (parts.length === 0) return undefined
  const isAnchored = pattern.startsWith('/') || parts.length > 1
  const last = parts.at(-1)!
  // `docs/*` is what is right in the folder, `docs/**` all below it.
  const below = isFolder || last === '**' ? ['**', '*'] : last === '*' && isAnchored ? [] : ['**']
  const body = last === '**' ? parts.slice(0, -1) : parts
  return [...(isAnchored ? [] : ['**']), ...body, ...below]
}

/** The last rule that fits a path counts, be it that it names nobody. */
export function findRule(rules: readonly OwnerRule[], path: string): OwnerRule | undefined {
  const steps = path.split('/')
  return rules.findLast(({ segments }) => matchAll(segments, steps, fits))
}

const fits = (glob: string, step: string): boolean =>
  matchAll(
    [...glob.replace(/\*+/g, '*')].map((c) => (c === '*' ? '**' : c)),
    [...step],
    (c, d) => c === '?' || c === d,
  )

/** `**` stands for any number of items. Goes back to the last one alone, so it takes no longer than both lengths multiplied. */
function matchAll<T>(
  pattern: readonly string[],
  items: readonly T[],
  isSame: (one: string, item: T) => boolean,
): boolean {
  let [p, i, star, mark] = [0, 0, -1, 0]
  while (i < items.length) {
    if (p < pattern.length && pattern[p] === '**') {
      star = p++
      mark = i
    } else if (p < pattern.length && isSame(pattern[p]!, items[i]!)) {
      p++
      i++
    } else if (star >= 0) {
      p = star + 1
      i = ++mark
    } else return false
  }
  while (pattern[p] === '**') p++
  return p === pattern.length
}
