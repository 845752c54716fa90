/** Footnotes: `[^name]` refers to the block `[^name]: …`, wherever it stands; those referred to are shown at the end. */
import { createHash } from 'node:crypto'
import type { MarkdownIt as Parser, StateBlock, StateCore, StateInline, Token } from 'markdown-it'
import { idPrefix } from './document-links.ts'
import type { RenderEnvironment } from './render-context.ts'

type Note = { number: number; references: number }
type Environment = Partial<RenderEnvironment> & { notes?: Map<string, Note> }

/** Of a reference that is shown: its note's number, and what tells its id from others. */
type Shown = { readonly number: number; readonly own: string; readonly id: string }

const labelOf = ({ meta }: Token): string => String(meta?.label)

const definition = /\[\^([^\s[\]\\]{1,100})\]:/y
const reference = /\[\^([^\s[\]\\]{1,100})\]/y

/** Ids of footnotes of a comment: no other ids stand there. */
export const noteId = /^user-content-fn(?:ref)?-\d{1,6}(?:-\d{1,6})?-[0-9a-f]{10}$/
export const noteClass = 'footnotes'

export function addFootnotes(parser: Parser): void {
  parser.block.ruler.before('reference', 'footnote', readDefinition, { alt: ['paragraph', 'reference'] })
  parser.inline.ruler.after('image', 'footnote', readReference)
  parser.core.ruler.after('inline', 'footnotes', moveNotes)
  parser.renderer.rules.footnote_reference = (tokens, at) => {
    const { number, own, id } = tokens[at]!.meta as Shown
    return `<sup><a href="#${idPrefix}fn-${number}${id}" id="${idPrefix}fnref-${number}${own}${id}" class="footnote-reference">${number}</a></sup>`
  }
}

/** Its text goes on in lines that are indented by four. */
function readDefinition(state: StateBlock, line: number, lastLine: number, isSilent: boolean): boolean {
  const start = state.bMarks[line]! + state.tShift[line]!
  if (state.sCount[line]! - state.blkIndent >= 4) return false
  definition.lastIndex = start
  const label = definition.exec(state.src)?.[1]
  if (label === undefined) return false
  if (isSilent) return true
  const known = { mark: state.bMarks[line]!, shift: state.tShift[line]!, indent: state.sCount[line]! }
  const text = definition.lastIndex
  let at = text
  while (at < state.eMarks[line]! && /[ \t]/.test(state.src[at]!)) at++
  const opening = state.push('footnote_open', '', 1)
  opening.meta = { label }
  opening.map = [line, line]
  const parent = state.parentType
  state.bMarks[line] = text
  state.tShift[line] = at - text
  state.blkIndent += 4
  state.sCount[line] = state.blkIndent
  state.parentType = 'footnote' as typeof parent
  state.md.block.tokenize(state, line, lastLine)
  state.parentType = parent
  state.blkIndent -= 4
  state.bMarks[line] = known.mark
  state.tShift[line] = known.shift
  state.sCount[line] = known.indent
  state.push('footnote_close', '', -1)
  const env = state.env as Environment
  env.notes ??= new Map()
  if (!env.notes.has(label)) env.notes.set(label, { number: 0, references: 0 })
  return true
}

function readReference(state: StateInline, isSilent: boolean): boolean {
  const { notes } = state.env as Environment
  if (!notes || state.src[state.pos] !== '[') return false
  reference.lastIndex = state.pos
  const found = reference.exec(state.src)
  const note = found && notes.get(found[1]!)
  if (!found || !note) return false
  if (!isSilent) state.push('footnote_reference', '', 0).meta = { label: found[1]! }
  state.pos += found[0].length
  return true
}

/** Notes are numbered as they are referred to: in the text first, then in the notes themselves. */
function moveNotes(state: StateCore): void {
  const { notes, context } = state.env as Environment
  if (!notes) return
  const { text, bodies } = takeBodies(state.tokens)
  // Several comments stand on one page, so their ids differ by their texts.
  const digest = createHash('sha256').update(state.src).digest('hex').slice(0, 10)
  const id = context?.document ? '' : `-${digest}`
  const shown: string[] = []
  const number = (tokens: readonly Token[]) => {
    for (const { children } of tokens)
      for (const token of children ?? []) {
        if (token.type !== 'footnote_reference') continue
        const label = labelOf(token)
        const note = notes.get(label)!
        if (note.number === 0) note.number = shown.push(label)
        note.references++
        const own = note.references === 1 ? '' : `-${note.references}`
        token.meta = { number: note.number, own, id }
        token.content = `[${note.number}]`
      }
  }
  number(text)
  for (let at = 0; at < shown.length; at++) number(bodies.get(shown[at]!) ?? [])
  state.tokens = text
  if (shown.length === 0) return
  const push = (type: string, tag: string, nesting: 1 | -1) => {
    const token = new state.Token(type, tag, nesting)
    token.block = true
    state.tokens.push(token)
    return token
  }
  push('section_open', 'section', 1).attrSet('class', noteClass)
  push('ordered_list_open', 'ol', 1)
  for (const label of shown) {
    const note = notes.get(label)!
    push('list_item_open', 'li', 1).attrSet('id', `${idPrefix}fn-${note.number}${id}`)
    for (const token of withLinksBack(state, bodies.get(label) ?? [], note, id)) state.tokens.push(token)
    push('list_item_close', 'li', -1)
  }
  push('ordered_list_close', 'ol', -1)
  push('section_close', 'section', -1)
}

/** The first of two notes with one name counts. A note inside another one is a note of its own. */
function takeBodies(tokens: readonly Token[]) {
  const text: Token[] = []
  const bodies = new Map<string, Token[]>()
  const open: Token[][] = [text]
  for (const token of tokens) {
    if (token.type === 'footnote_open') {
      const body: Token[] = []
      if (!bodies.has(labelOf(token))) bodies.set(labelOf(token), body)
      open.push(body)
    } else if (token.type === 'footnote_close') open.pop()
    else open.at(-1)!.push(token)
  }
  return { text, bodies }
}

/** More links back than these help nobody. */
const mostLinksBack = 20

function withLinksBack({ Token }: StateCore, body: readonly Token[], note: Note, id: string): readonly Token[] {
  const links = Array.from({ length: Math.min(note.references, mostLinksBack) }, (_, at) => {
    const own = at === 0 ? '' : `-${at + 1}`
    const link = new Token('html_inline', '', 0)
    link.content = ` <a href="#${idPrefix}fnref-${note.number}${own}${id}" aria-label="Back to reference ${note.number}${own}">↩</a>`
    return link
  })
  const last = body.at(-1)?.type === 'paragraph_close' ? body.at(-2) : undefined
  if (last?.children) {
    last.children.push(...links)
    return body
  }
  const opening = new Token('paragraph_open', 'p', 1)
  const inline = new Token('inline', '', 0)
  inline.content = ''
  inline.children = links
  return [...body, opening, inline, new Token('paragraph_close', 'p', -1)]
}
