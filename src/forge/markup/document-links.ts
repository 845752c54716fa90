/** Relative links and pictures of a document lead to other files of its repository; its headings can be linked to. */
import type { StateCore } from 'markdown-it'
import type { DocumentPlace, RenderEnvironment } from './render-context.ts'

/** Ids that people choose have a prefix, so that none can stand in for an id of the page. */
export const idPrefix = 'user-content-'

const withScheme = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i
/** Only the path is read from it. */
const anyOrigin = 'http://localhost/'

/** A leading slash means the root of the repository. An address with a scheme, or of a place in the page, stays. */
export function resolveLink({ folder, pages }: DocumentPlace, href: string): string {
  const found = resolvePath(folder, href)
  return found ? `${pages}${found.path}${found.query}${found.hash}` : href
}

export function resolvePicture({ folder, files, filesQuery }: DocumentPlace, src: string): string {
  const found = resolvePath(folder, src)
  return found ? `${files}${found.path}${filesQuery}` : src
}

function resolvePath(folder: string, address: string) {
  if (address === '' || address.startsWith('#') || withScheme.test(address)) return undefined
  const base = new URL(folder, anyOrigin)
  if (!URL.canParse(address, base.href)) return undefined
  const { pathname, search, hash, origin } = new URL(address, base)
  return origin === base.origin ? { path: pathname.slice(1), query: search, hash } : undefined
}

/** Headings get ids as on the public platform: their words in lower case, joined by hyphens, numbered if they repeat. */
export function nameHeadings({ tokens, env }: StateCore): void {
  if (!(env as Partial<RenderEnvironment> | undefined)?.context?.document) return
  const taken = new Map<string, number>()
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const words = (tokens[index + 1]?.children ?? [])
      .filter(({ type }) => type === 'text' || type === 'code_inline')
      .map(({ content }) => content)
      .join('')
    const name = words
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replace(/ /g, '-')
    const times = taken.get(name) ?? 0
    taken.set(name, times + 1)
    if (name !== '') token.attrSet('id', `${idPrefix}${name}${times > 0 ? `-${times}` : ''}`)
  }
}
