/** Task lists: an item that begins with `[ ]` or `[x]` gets a disabled checkbox; in a comment it names its line, counted from 0. */
import type { StateCore, Token } from 'markdown-it'
import type { RenderEnvironment } from './render-context.ts'

const task = /^\[([ xX])\][ \t\u00A0]/

export function markTasks({ tokens, Token, env }: StateCore): void {
  const { context } = env as Partial<RenderEnvironment>
  const hasLines = context?.breaks === true
  const lists: Token[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') lists.push(token)
    else if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') lists.pop()
    if (token.type !== 'inline' || tokens[index - 1]?.type !== 'paragraph_open') continue
    const item = tokens[index - 2]
    const first = token.children?.[0]
    if (item?.type !== 'list_item_open' || first?.type !== 'text') continue
    const found = task.exec(first.content)
    if (!found) continue
    item.attrJoin('class', 'task-list-item')
    if (!lists.at(-1)!.attrGet('class')) lists.at(-1)!.attrSet('class', 'contains-task-list')
    first.content = first.content.slice(3)
    const box = new Token('html_inline', '', 0)
    const isDone = found[1] !== ' '
    const line = hasLines && token.map ? ` data-line="${token.map[0]}"` : ''
    box.content = `<input type="checkbox" class="task-list-item-checkbox"${line} disabled${isDone ? ' checked' : ''}>`
    box.meta = { text: isDone ? '[x]' : '[ ]' }
    token.children!.unshift(box)
  }
}
