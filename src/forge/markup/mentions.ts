/** Mentions: `@login` and `@organisation/team`, outside code, links and mail addresses. */
import { isEscaped } from './code-parts.ts'
import { proseOf } from './prose.ts'

export type Mention = { readonly login: string; readonly team?: string }
export type PlacedMention = Mention & { readonly start: number; readonly end: number }

/** Distinct names per text that count; the rest are not notified. */
export const maxMentions = 50

/** A name may be repeated endlessly: at most this many mentions are looked at. */
const maxLookedAt = 2_000

/** In text order, each name once, ignoring case. */
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

/** Scans text whose code and links are already blanked out. */
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

/** `a@b`, `a+@b` and `/@b` are parts of addresses; `\@b` is escaped. */
function isInsideWord(prose: string, at: number): boolean {
  const before = prose[at - 1] ?? ' '
  if (/[A-Za-z0-9@/]/.test(before) || isEscaped(prose, at)) return true
  return /[._+%-]/.test(before) && /\w/.test(prose[at - 2] ?? ' ')
}
