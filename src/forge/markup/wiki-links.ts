/** Links of wikis: `[[Page Name]]`, and `[[words|Page Name]]`. */
import type { MarkdownIt as Parser, StateInline } from 'markdown-it'
import type { RenderEnvironment } from './render-context.ts'

const link = /\[\[([^[\]|\n]{1,200})(?:\|([^[\]|\n]{1,200}))?\]\]/y

export function addWikiLinks(parser: Parser): void {
  parser.inline.ruler.before('link', 'wiki-link', readWikiLink)
}

function readWikiLink(state: StateInline, isSilent: boolean): boolean {
  if (!(state.env as Partial<RenderEnvironment>)?.context?.document?.isWiki) return false
  link.lastIndex = state.pos
  const found = link.exec(state.src)
  if (!found) return false
  const [all, words = '', page = words] = found
  if (!isSilent) {
    const opening = state.push('link_open', 'a', 1)
    opening.attrSet('href', page.trim().replace(/ +/g, '-').split('/').map(encodeURIComponent).join('/'))
    state.push('text', '', 0).content = words.trim()
    state.push('link_close', 'a', -1)
  }
  state.pos += all.length
  return true
}
