/** `:rocket:` becomes the sign with this name; an unknown name, and one in code or in an address, stays as it is. */
import type { StateCore } from 'markdown-it'
import { emoji } from './emoji-names.ts'

const named = /:([a-z0-9_+-]{1,40}):/g

export function nameEmoji({ tokens }: StateCore): void {
  for (const { children } of tokens) {
    let isAddress = false
    for (const token of children ?? []) {
      if (token.type === 'link_open') isAddress = token.info === 'auto'
      else if (token.type === 'link_close') isAddress = false
      else if (token.type === 'text' && !isAddress && token.content.includes(':'))
        token.content = replaceNames(token.content)
    }
  }
}

/** The colon behind an unknown name may begin the next one. */
function replaceNames(text: string): string {
  let made = ''
  let from = 0
  named.lastIndex = 0
  for (let found = named.exec(text); found; found = named.exec(text)) {
    const sign = emoji.get(found[1]!)
    if (sign === undefined) {
      named.lastIndex--
      continue
    }
    made += text.slice(from, found.index) + sign
    from = named.lastIndex
  }
  return made + text.slice(from)
}
