/**
 * Markdown as people write it, made into HTML and into plain text. It is loaded in a worker thread alone (`renderer.ts`):
 * neither the parser nor the sanitiser stays in the memory of a server that renders nothing, and no text holds up others.
 */
import MarkdownIt, { type MarkdownIt as Parser } from 'markdown-it'
import { linkNames } from './linked-names.ts'
import type { RenderContext } from './render-context.ts'
import { sanitize } from './sanitizing.ts'
import { markTasks } from './task-lists.ts'
import { writeText } from './text-rendering.ts'

/** For documents and for comments. */
const parsers = [false, true].map(makeParser)

export function renderHtml(text: string, context: RenderContext): string {
  return sanitize(parserFor(context).render(text, { context }))
}

export function renderText(text: string, context: RenderContext): string {
  return writeText(parserFor(context).parse(text, { context }))
}

const parserFor = ({ breaks = false }: RenderContext): Parser => parsers[Number(breaks)]!

function makeParser(breaks: boolean): Parser {
  const parser = new MarkdownIt({ html: true, linkify: true, breaks, maxNesting: 50 })
  // Only what says that it is an address becomes a link, not each word with a dot in it.
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
  parser.core.ruler.before('text_join', 'names', linkNames)
  parser.core.ruler.push('tasks', markTasks)
  return parser
}
