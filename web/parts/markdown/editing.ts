/** What the buttons above a text do to it: each changes the selection, as an undoable edit of the browser where it can be. */
export type Edit = { readonly start: number; readonly end: number; readonly text: string; readonly select: number }

type Selected = { readonly text: string; readonly start: number; readonly end: number }

const around =
  (before: string, after = before, inner = '') =>
  ({ text, start, end }: Selected): Edit => {
    const chosen = text.slice(start, end) || inner
    return { start, end, text: before + chosen + after, select: start + before.length + chosen.length }
  }

const eachLine =
  (mark: string) =>
  ({ text, start, end }: Selected): Edit => {
    const from = text.lastIndexOf('\n', start - 1) + 1
    const lines = text.slice(from, end).split('\n')
    const made = lines.map((line) => mark + line).join('\n')
    return { start: from, end, text: made, select: from + made.length }
  }

export const tools: readonly (readonly [name: string, sign: string, edit: (selected: Selected) => Edit])[] = [
  ['Bold', 'B', around('**')],
  ['Italic', 'I', around('_')],
  ['Code', '‹›', around('`')],
  ['Link', '↗', around('[', '](https://)')],
  ['Quote', '❝', eachLine('> ')],
  ['List', '•', eachLine('- ')],
  ['Task list', '☑', eachLine('- [ ] ')],
]

/** The browser's own undo keeps working where it offers this old command. */
export function replaceText(field: HTMLTextAreaElement, { start, end, text, select }: Edit): void {
  field.focus()
  field.setSelectionRange(start, end)
  if (!document.execCommand('insertText', false, text)) {
    field.setRangeText(text, start, end, 'end')
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  field.setSelectionRange(select, select)
}
