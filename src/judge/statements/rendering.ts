/**
 * Renders a problem's Markdown statement as HTML: CommonMark with tables and footnotes, and maths between dollars as
 * MathML. Loaded only in a worker thread. HTML in the source stays text, and the result passes an allowlist of
 * elements.
 */
import MarkdownIt from 'markdown-it'
import sanitizeHtml from 'sanitize-html'
import { addFootnotes } from './footnotes.ts'
import { addMaths } from './maths.ts'
import { addressOfFile } from './own-files.ts'

const parser = new MarkdownIt({ html: false, linkify: true, maxNesting: 50 })
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
parser.use(addMaths)
parser.use(addFootnotes)

const words = (text: string): string[] => text.trim().split(/\s+/)

const mathElements = words(`
  math semantics mrow mi mn mo mtext ms mspace mfrac msqrt mroot msub msup msubsup munder mover munderover
  mmultiscripts mprescripts mtable mtr mtd mpadded mphantom menclose mstyle merror none`)

const options: sanitizeHtml.IOptions = {
  allowedTags: [
    ...words('h1 h2 h3 h4 h5 h6 p br hr blockquote pre code a img ul ol li em strong s sup table thead tbody tr th td'),
    ...mathElements,
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel', 'id'],
    li: ['id'],
    img: ['src', 'alt', 'title'],
    ol: ['start'],
    th: ['align'],
    td: ['align'],
    ...Object.fromEntries(
      mathElements.map((name) => [
        name,
        words(`display mathvariant stretchy fence separator form lspace rspace minsize maxsize symmetric largeop
          movablelimits accent accentunder linethickness width height depth voffset columnalign rowspacing columnspacing
          columnlines rowlines columnspan rowspan scriptlevel displaystyle notation`),
      ]),
    ),
  },
  allowedClasses: { code: [/^language-[\w+#.-]{1,50}$/] },
  allowedSchemes: ['http', 'https', 'mailto'],
  // Only embedded pictures and the problem's own: another server would learn who reads, and its pictures may disappear.
  allowedSchemesByTag: { img: ['data'] },
  allowProtocolRelative: false,
  nestingLimit: 100,
}

const picture = /^data:image\/(?:png|jpeg|gif|webp);base64,/

/** `files`: the address of the problem's files, with a final slash; undefined if it has none. */
export type StatementTask = { readonly text: string; readonly files: string | undefined }

export const renderStatement = ({ text, files }: StatementTask): string =>
  sanitizeHtml(parser.render(text, {}), {
    ...options,
    transformTags: {
      a: (tagName, { href, id, title }) => {
        const own = addressOfFile(href, files)
        const address = own ?? (href !== undefined && isLink.test(href) ? href : undefined)
        const rel = (own ?? href?.startsWith('#')) ? undefined : 'nofollow noopener'
        return { tagName, attribs: keepStated({ href: address, id, title, rel }) }
      },
      img: (tagName, { src, alt, title }) => {
        const address = src !== undefined && picture.test(src) ? src : addressOfFile(src, files)
        return { tagName, attribs: keepStated({ src: address, alt, title }) }
      },
      th: alignByAttribute,
      td: alignByAttribute,
    },
    exclusiveFilter: ({ tag, attribs }) => tag === 'img' && attribs.src === undefined,
  })

/** External links, or links to the statement's own notes; a relative one is a file of the problem or removed. */
const isLink = /^(?:https?:|mailto:|#(?:note|reference)-[\d-]+$)/i

const keepStated = (attributes: Record<string, string | undefined>): sanitizeHtml.Attributes =>
  Object.fromEntries(Object.entries(attributes).filter((one): one is [string, string] => one[1] !== undefined))

/** Table columns declare their alignment by `style`, which is not allowed. */
function alignByAttribute(tagName: string, attributes: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const align = /^text-align:(left|center|right)$/.exec(attributes.style ?? '')?.[1]
  return { tagName, attribs: align ? { align } : {} }
}
