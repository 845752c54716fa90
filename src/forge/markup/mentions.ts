/** Mentions: `@login` and `@organisation/team`, outside code, links and mail addresses. */
import { isEscaped } from './code-parts.ts'
import { proseOf } from './prose.ts'

export type Mention = { readonly login: string; readonly team?: string }
export type PlacedMention = Mention & { readonly start: number; readonly end: number }

/** So many distinct names of one text count; the rest are not told. */
export const maxMentions = 50

/** The same name may come again and again: so many are looked at. */
const maxLookedAt = 2_000

/** In the order of the text, each once, whatever its case. */
export function findMentions(text: string): Mention[] {
  if (!text.includes('@')) return []
  const found = new Map<string, Mention>()
  for (const { login, team } of scanMentions(proseOf(text)).take(maxLookedAt)) {
    const key = `${login}/${team ?? ''}`.toLowerCase()
    if (!found.has(key)) found.set(key, team === undefined ? { login } : { login, team })
    if (found.size === maxMentions) break
  }
  return [...found.values()]
}

const name =
  /@([A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?)(?:\/([A-Za-z0-9][\w-]{0,99}))?(?![A-Za-z0-9@/]|-[A-Za-z0-9]|_+[A-Za-z0-9]|\.+\w)/y

/** In text that is prose already. */
export function* scanMentions(prose: string): Generator<PlacedMention> {
  for (let at = prose.indexOf('@'); at >= 0; at = prose.indexOf('@', at + 1)) {
    if (isInsideWord(prose, at)) continue
    name.lastIndex = at
    const found = name.exec(prose)
    if (!found) continue
    const [whole, login = '', team] = found
    yield { login, ...(team !== undefined && { team }), start: at, end: at + whole.length }
  }
}

/** `a@b`, `a+@b` and `/@b` are addresses, and who writes `\@b` wants no mention. */
function isInsideWord(prose: string, at: number): boolean {
  const before = prose[at - 1] ?? ' '
  if (/[A-Za-z0-9@/]/.test(before) || isEscaped(prose, at)) return true
  return /[._+%-]/.test(before) && /\w/.test(prose[at - 2] ?? ' ')
}
