/**
 * Renders Markdown to HTML and to plain text. Loaded only in a worker thread (`renderer.ts`): a server that renders
 * nothing keeps neither parser nor sanitizer in memory, and no text blocks others.
 */
import MarkdownIt, { type MarkdownIt as Parser } from 'markdown-it'
import { markAlerts } from './alerts.ts'
import { nameHeadings } from './document-links.ts'
import { nameEmoji } from './emoji.ts'
import { addFootnotes } from './footnotes.ts'
import { linkNames } from './linked-names.ts'
import type { RenderContext } from './render-context.ts'
import { sanitize } from './sanitizing.ts'
import { markTasks } from './task-lists.ts'
import { writeText } from './text-rendering.ts'
import { addWikiLinks } from './wiki-links.ts'

/** One parser for documents and one for comments. */
const parsers = [false, true].map(makeParser)

export function renderHtml(text: string, context: RenderContext): string {
  return sanitize(parserFor(context).render(text, { context }), context.document)
}

export function renderText(text: string, context: RenderContext): string {
  return writeText(parserFor(context).parse(text, { context }))
}

const parserFor = ({ breaks = false }: RenderContext): Parser => parsers[Number(breaks)]!

function makeParser(breaks: boolean): Parser {
  const parser = new MarkdownIt({ html: true, linkify: true, breaks, maxNesting: 50 })
  // Only explicit addresses become links, not each word with a dot in it.
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
  addWikiLinks(parser)
  addFootnotes(parser)
  parser.core.ruler.after('block', 'alerts', markAlerts)
  parser.core.ruler.before('text_join', 'names', linkNames)
  parser.core.ruler.before('text_join', 'emoji', nameEmoji)
  parser.core.ruler.push('tasks', markTasks)
  parser.core.ruler.push('headings', nameHeadings)
  return parser
}
