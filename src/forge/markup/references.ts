/**
 * References: `#12`, `owner/repo#12`, `GH-12`, web addresses of issues and pulls, and commits, outside code and links.
 */
import { isEscaped } from './code-parts.ts'
import { proseOf, withoutCode } from './prose.ts'

/** The named repository; absent if it is the text's own. */
export type NamedRepository = { readonly owner: string; readonly name: string }

export type IssueReference = {
  readonly kind: 'issue'
  readonly repository?: NamedRepository
  /** For example `https://guild.example.org`, if the reference is a web address. */
  readonly origin?: string
  readonly number: number
  /** Whether it follows `fixes`, `closes` or `resolves`. */
  readonly closes: boolean
}

export type CommitReference = { readonly kind: 'commit'; readonly repository?: NamedRepository; readonly sha: string }

export type Reference = IssueReference | CommitReference
export type Placed<T> = T & { readonly start: number; readonly end: number }

/** Distinct references per text that count. */
export const maxReferences = 100

/** A reference may be repeated endlessly: at most this many references, and as many web addresses, are looked at. */
const maxLookedAt = 2_000

/** In text order, each once. If any occurrence closes, the reference closes. */
export function findReferences(text: string): Reference[] {
  const found = new Map<string, Reference>()
  const all = [
    ...scanReferences(proseOf(text)).take(maxLookedAt),
    ...scanAddresses(withoutCode(text)).take(maxLookedAt),
  ]
  for (const { start, end, ...reference } of all.sort((a, b) => a.start - b.start)) {
    const key = keyOf(reference)
    const known = found.get(key)
    if (!known && found.size === maxReferences) continue
    const closes = known?.kind === 'issue' && known.closes
    found.set(key, reference.kind === 'issue' && closes ? { ...reference, closes } : reference)
  }
  return [...found.values()]
}

/** The issue that a comment such as `Duplicate of #12` names. */
export function findDuplicateOf(text: string): IssueReference | undefined {
  const line = /^[ \t]*duplicate of[ \t]+(\S{1,400})[ \t]*[.!]?[ \t]*$/im.exec(withoutCode(text))?.[1]
  const [found] = line === undefined ? [] : findReferences(line.replace(/[.!]$/, ''))
  return found?.kind === 'issue' ? found : undefined
}

function keyOf(reference: Reference): string {
  const { repository: { owner, name } = { owner: '', name: '' } } = reference
  const place = `${owner}/${name}`.toLowerCase()
  return reference.kind === 'issue'
    ? `${reference.origin ?? ''} ${place}#${reference.number}`
    : `${place}@${reference.sha}`
}

const pattern =
  /#(\d{1,9})(?![A-Za-z0-9#]|[_-]+[A-Za-z0-9])|\bGH-(\d{1,9})\b|(?<![\w.-])[0-9a-f]{7,40}(?![\w-])(?!\.\w)/gi

/** Scans text whose code and links are already blanked out. */
export function* scanReferences(prose: string): Generator<Placed<Reference>> {
  for (const found of prose.matchAll(pattern)) {
    const [whole, hash, dashed] = found
    const end = found.index + whole.length
    if (hash === undefined && dashed === undefined) yield* readCommit(prose, found.index, end)
    else if (hash === undefined) yield readIssue(prose, found.index, end, Number(dashed))
    else {
      const place = readRepository(prose, found.index)
      if (place) yield readIssue(prose, place.start, end, Number(hash), place.repository)
    }
  }
}

const address =
  /\b(https?:\/\/[^\s/<>()"'\uFFFC]{1,255})\/([A-Za-z0-9-]{1,39})\/([\w.-]{1,100})\/(?:issues|pull)\/(\d{1,9})(?![\w/])/gi

function* scanAddresses(text: string): Generator<Placed<IssueReference>> {
  for (const { 0: whole, 1: origin = '', 2: owner = '', 3: name = '', 4: number, index } of text.matchAll(address))
    yield {
      ...readIssue(text, index, index + whole.length, Number(number), { owner, name }),
      origin: origin.toLowerCase(),
    }
}

function readIssue(
  prose: string,
  start: number,
  end: number,
  number: number,
  repository?: NamedRepository,
): Placed<IssueReference> {
  const closes = isAfterKeyword(prose, start)
  return { kind: 'issue', number, closes, ...(repository && { repository }), start, end }
}

/** Digits alone are no commit: people write seven digits for other things. */
function* readCommit(prose: string, start: number, end: number): Generator<Placed<CommitReference>> {
  const sha = prose.slice(start, end).toLowerCase()
  if (prose[start - 1] === '@') {
    const place = readRepository(prose, start - 1)
    if (place?.repository) yield { kind: 'commit', sha, repository: place.repository, start: place.start, end }
    return
  }
  if (!/[a-f]/.test(sha) || !/\d/.test(sha)) return
  if (/[/#&]/.test(prose[start - 1] ?? ' ') || isEscaped(prose, start)) return
  yield { kind: 'commit', sha, start, end }
}

type ReferenceStart = { readonly start: number; readonly repository?: NamedRepository }

/**
 * Reads what precedes the mark: `owner/repo`, nothing, or another word, so no reference. Each walk ends at the last
 * mark.
 */
function readRepository(prose: string, mark: number): ReferenceStart | undefined {
  const run = walkBack(prose, mark, /[\w./-]/)
  // Leading underscores are emphasis.
  const from = run + /^_*/.exec(prose.slice(run, mark))![0].length
  if (from === mark) return /[&#]/.test(prose[mark - 1] ?? ' ') || isEscaped(prose, mark) ? undefined : { start: mark }
  const [owner = '', name = '', ...rest] = prose.slice(from, mark).split('/')
  const isName = /^[A-Za-z0-9-]{1,39}$/.test(owner) && /^[\w.-]{1,100}$/.test(name) && rest.length === 0
  return isName ? { start: from, repository: { owner, name } } : undefined
}

function walkBack(prose: string, from: number, through: RegExp): number {
  let at = from
  while (at > 0 && through.test(prose[at - 1]!)) at--
  return at
}

const keyword = /^(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)$/i
const longestKeyword = 'resolved'.length

/** `fixes #12` and `Closes: #12`. */
function isAfterKeyword(prose: string, start: number): boolean {
  const behind = walkBack(prose, start, /\s/)
  if (behind === start) return false
  const to = prose[behind - 1] === ':' ? behind - 1 : behind
  const word = /\w+$/.exec(prose.slice(Math.max(0, to - longestKeyword - 1), to))?.[0] ?? ''
  return keyword.test(word)
}
