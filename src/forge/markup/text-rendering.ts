/** Writes a parsed document as plain text: its words, one line per block, without markup. */
import type { Token } from 'markdown-it'

export function writeText(tokens: readonly Token[]): string {
  const written: string[] = []
  for (const token of tokens) {
    if (token.type === 'inline') written.push(writeInline(token.children ?? []))
    else if (token.type === 'fence' || token.type === 'code_block') written.push(token.content)
    else if (token.type === 'html_block') written.push(stripTags(token.content))
    else if (token.type === 'th_close' || token.type === 'td_close') written.push('\t')
    else if (token.type === 'tr_close') written.push('\n')
    if (endsBlock(token)) written.push(token.hidden ? '\n' : '\n\n')
  }
  return written
    .join('')
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const endsBlock = ({ type }: Token): boolean =>
  /^(?:paragraph|heading|bullet_list|ordered_list|table)_close$|^(?:fence|code_block|html_block)$/.test(type)

function writeInline(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'softbreak' || token.type === 'hardbreak') return '\n'
      if (token.type === 'html_inline') return token.meta?.text ?? ''
      if (token.type === 'image') return writeInline(token.children ?? [])
      return token.content
    })
    .join('')
}

const stripTags = (html: string): string => html.replace(/<!--.*?(?:-->|$)/gs, '').replace(/<[A-Za-z/!?][^<>]*>/g, '')
