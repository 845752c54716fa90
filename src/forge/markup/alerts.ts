/** Alerts: a quotation that begins with `[!NOTE]` or one of its four siblings is set apart under that word. */
import type { StateCore, Token } from 'markdown-it'

const kinds: Readonly<Record<string, string>> = {
  NOTE: 'Note',
  TIP: 'Tip',
  IMPORTANT: 'Important',
  WARNING: 'Warning',
  CAUTION: 'Caution',
}

export const alertClasses = [
  'markdown-alert',
  ...Object.keys(kinds).map((kind) => `markdown-alert-${kind.toLowerCase()}`),
]
export const alertTitleClass = 'markdown-alert-title'

const marker = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*(?:\n|$)/i

/** Runs between the parsing of blocks and of what is in them: the marker's line is not shown. */
export function markAlerts(state: StateCore): void {
  const made: Token[] = []
  const open: boolean[] = []
  const { tokens } = state
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    if (token.type === 'blockquote_close' && open.pop()) token.tag = 'div'
    made.push(token)
    if (token.type !== 'blockquote_open') continue
    const text = tokens[at + 1]?.type === 'paragraph_open' ? tokens[at + 2] : undefined
    // As on the public platform, an alert stands in no list and no other quotation.
    const found = token.level === 0 && text ? marker.exec(text.content) : null
    open.push(found !== null)
    if (!found || !text) continue
    const kind = found[1]!.toUpperCase()
    token.tag = 'div'
    token.attrSet('class', `markdown-alert markdown-alert-${kind.toLowerCase()}`)
    made.push(...titleOf(state, kinds[kind]!))
    text.content = text.content.slice(found[0].length)
    // Nothing follows the marker in its paragraph.
    if (text.content === '') at += 3
  }
  state.tokens = made
}

function titleOf({ Token }: StateCore, words: string): Token[] {
  const opening = new Token('paragraph_open', 'p', 1)
  opening.attrSet('class', alertTitleClass)
  const text = new Token('inline', '', 0)
  text.content = words
  text.children = []
  const closing = new Token('paragraph_close', 'p', -1)
  for (const token of [opening, text, closing]) token.block = true
  return [opening, text, closing]
}
