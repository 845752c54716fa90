/** Turns mentions and references in a parsed document into links. */
import type { StateCore, Token } from 'markdown-it'
import { scanAutolinks } from './autolinks.ts'
import { matchCodeTags, readCodeTag } from './html-code.ts'
import { type PlacedMention, scanMentions } from './mentions.ts'
import { type NamedRepository, type Placed, type Reference, scanReferences } from './references.ts'
import type { RenderContext, RenderEnvironment } from './render-context.ts'

type Link = { readonly start: number; readonly end: number; readonly href: string; readonly className: string }

export function linkNames(state: StateCore): void {
  const context = (state.env as Partial<RenderEnvironment>).context
  if (!context) return
  for (const token of state.tokens)
    if (token.type === 'inline' && token.children) token.children = linkIn(token.children, state, context)
}

function linkIn(tokens: readonly Token[], state: StateCore, context: RenderContext): Token[] {
  const made: Token[] = []
  const isCode = findHtmlCode(tokens)
  let depth = 0
  for (const token of tokens) {
    if (token.type === 'link_open') depth++
    else if (token.type === 'link_close') depth--
    else if (token.type === 'html_inline') depth += htmlStep(token.content)
    const links = token.type === 'text' && depth <= 0 && !isCode.has(token) ? findLinks(token.content, context) : []
    if (links.length === 0) made.push(token)
    else for (const part of split(token, links, state)) made.push(part)
  }
  return made
}

/** The tokens between HTML tags that mark code. */
function findHtmlCode(tokens: readonly Token[]): ReadonlySet<Token> {
  const tags = tokens.flatMap((token, index) => {
    const tag = token.type === 'html_inline' ? readCodeTag(token.content) : undefined
    return tag ? [{ ...tag, index }] : []
  })
  const found = new Set<Token>()
  let from = 0
  for (const [opening, closing] of matchCodeTags(tags)) {
    const end = tags[closing]!.index
    // Tokens of a nested pair were added already.
    for (let at = Math.max(from, tags[opening]!.index); at < end; at++) found.add(tokens[at]!)
    from = Math.max(from, end)
  }
  return found
}

const htmlStep = (tag: string): number => (/^<a[>\s]/i.test(tag) ? 1 : /^<\/a\s*>/i.test(tag) ? -1 : 0)

/** In text order; the first of two overlapping links wins. */
function findLinks(text: string, context: RenderContext): Link[] {
  const found = [
    ...[...scanMentions(text)].flatMap((mention) => linkMention(mention, context)),
    ...[...scanReferences(text)].flatMap((reference) => linkReference(reference, context)),
    ...[...scanAutolinks(text, context.autolinks ?? [])].map((link) => ({ ...link, className: 'issue-link' })),
  ].sort((a, b) => a.start - b.start)
  let last = 0
  return found.filter(({ start, end }) => {
    if (start < last) return false
    last = end
    return true
  })
}

function linkMention({ login, team, start, end }: PlacedMention, { origin, logins }: RenderContext): Link[] {
  if (team !== undefined)
    return [{ start, end, href: `${origin}/orgs/${login}/teams/${team}`, className: 'team-mention' }]
  if (logins && !logins.has(login.toLowerCase())) return []
  return [{ start, end, href: `${origin}/${login}`, className: 'user-mention' }]
}

/** Does not check that the thing exists: the answer would reveal things that not every reader may see. */
function linkReference(reference: Placed<Reference>, { origin, repository }: RenderContext): Link[] {
  const { start, end } = reference
  const place = nameOf(reference.repository) ?? repository
  if (place === undefined) return []
  if (reference.kind === 'commit')
    return [{ start, end, href: `${origin}/${place}/commit/${reference.sha}`, className: 'commit-link' }]
  return [{ start, end, href: `${origin}/${place}/issues/${reference.number}`, className: 'issue-link' }]
}

const nameOf = (named: NamedRepository | undefined): string | undefined => named && `${named.owner}/${named.name}`

function* split(token: Token, links: readonly Link[], { Token }: StateCore): Generator<Token> {
  const { content, level } = token
  const words = (start: number, end: number, depth: number): Token =>
    Object.assign(new Token('text', '', 0), { content: content.slice(start, end), level: level + depth })
  let from = 0
  for (const { start, end, href, className } of links) {
    if (start > from) yield words(from, start, 0)
    const opening = Object.assign(new Token('link_open', 'a', 1), { level })
    opening.attrs = [
      ['class', className],
      ['href', href],
    ]
    yield opening
    yield words(start, end, 1)
    yield Object.assign(new Token('link_close', 'a', -1), { level })
    from = end
  }
  if (from < content.length) yield words(from, content.length, 0)
}
