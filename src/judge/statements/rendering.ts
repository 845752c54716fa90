/**
 * A problem's statement, made from Markdown into HTML: CommonMark with tables, and maths between dollars as MathML. It is
 * loaded in a worker thread alone. People's own HTML stays text, and what is left passes a closed list of elements.
 */
import MarkdownIt from 'markdown-it'
import sanitizeHtml from 'sanitize-html'
import { addMaths } from './maths.ts'

const parser = new MarkdownIt({ html: false, linkify: true, maxNesting: 50 })
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
parser.use(addMaths)

const words = (text: string): string[] => text.trim().split(/\s+/)

const mathElements = words(`
  math semantics mrow mi mn mo mtext ms mspace mfrac msqrt mroot msub msup msubsup munder mover munderover
  mmultiscripts mprescripts mtable mtr mtd mpadded mphantom menclose mstyle merror none`)

const options: sanitizeHtml.IOptions = {
  allowedTags: [
    ...words('h1 h2 h3 h4 h5 h6 p br hr blockquote pre code a img ul ol li em strong s table thead tbody tr th td'),
    ...mathElements,
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
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
  // A picture is the statement's own: one from elsewhere would tell its server who reads, and may be gone tomorrow.
  allowedSchemesByTag: { img: ['data'] },
  allowProtocolRelative: false,
  transformTags: {
    a: (tagName, attributes) => ({ tagName, attribs: { ...attributes, rel: 'nofollow noopener' } }),
    th: alignByAttribute,
    td: alignByAttribute,
  },
  exclusiveFilter: ({ tag, attribs }) =>
    tag === 'img' && !/^data:image\/(?:png|jpeg|gif|webp);base64,/.test(attribs.src ?? ''),
  nestingLimit: 100,
}

export const renderStatement = (text: string): string => sanitizeHtml(parser.render(text), options)

/** What a table says of its columns it says by `style`, which is not let through. */
function alignByAttribute(tagName: string, attributes: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const align = /^text-align:(left|center|right)$/.exec(attributes.style ?? '')?.[1]
  return { tagName, attribs: align ? { align } : {} }
}
