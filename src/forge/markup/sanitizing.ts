/** Sanitizes HTML for our pages: a closed list of elements and attributes; everything else is removed. */
import sanitizeHtml from 'sanitize-html'
import { alertClasses, alertTitleClass } from './alerts.ts'
import { idPrefix, resolveLink, resolvePicture } from './document-links.ts'
import { noteClass, noteId } from './footnotes.ts'
import type { DocumentPlace } from './render-context.ts'

/** The maximum nesting of HTML: browsers have a limit, too. */
const maxDepth = 100

const words = (text: string): string[] => text.trim().split(/\s+/)

const options: sanitizeHtml.IOptions = {
  allowedTags: words(`
    h1 h2 h3 h4 h5 h6 p br hr blockquote pre code div span a img ul ol li dl dt dd input
    table caption thead tbody tfoot tr th td
    b i strong em s strike del ins sub sup small mark kbd samp var tt q cite abbr dfn bdo ruby rt rp wbr details summary
    figure figcaption section`),
  allowedAttributes: {
    a: ['href', 'title', 'rel', 'id', 'aria-label'],
    img: ['src', 'alt', 'title', 'width', 'height', 'align'],
    input: ['type', 'checked', 'disabled', 'data-line'],
    ol: ['start', 'reversed'],
    li: ['value', 'id'],
    details: ['open'],
    abbr: ['title'],
    bdo: ['dir'],
    th: ['align', 'colspan', 'rowspan', 'scope'],
    td: ['align', 'colspan', 'rowspan'],
    '*': ['align', 'dir', 'lang'],
  },
  allowedClasses: {
    a: ['user-mention', 'team-mention', 'issue-link', 'commit-link', 'footnote-reference'],
    div: alertClasses,
    p: [alertTitleClass],
    section: [noteClass],
    code: [/^language-[\w+#.-]{1,50}$/],
    ul: ['contains-task-list'],
    ol: ['contains-task-list'],
    li: ['task-list-item'],
    input: ['task-list-item-checkbox'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  // Table cells align by `style`, which is not allowed: turn it into `align`.
  transformTags: {
    a: (tagName, attributes) => ({ tagName, attribs: { ...attributes, rel: 'nofollow noopener' } }),
    th: alignByAttribute,
    td: alignByAttribute,
    // Footnotes alone have ids in a comment.
    '*': (tagName, { id, ...attributes }) => ({
      tagName,
      attribs: id !== undefined && noteId.test(id) ? { ...attributes, id } : attributes,
    }),
  },
  exclusiveFilter: ({ tag, attribs }) =>
    tag === 'input' && (attribs.type !== 'checkbox' || attribs.disabled === undefined),
  nestingLimit: maxDepth,
  disallowedTagsMode: 'discard',
}

/** In a document, unlike in a comment, headings and places have ids that people choose. */
export const sanitize = (html: string, document?: DocumentPlace): string =>
  sanitizeHtml(html, document ? optionsOf(document) : options)

const optionsOf = (place: DocumentPlace): sanitizeHtml.IOptions => ({
  ...options,
  allowedAttributes: {
    ...options.allowedAttributes,
    ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'div', 'span'].map((tag) => [tag, ['id']])),
    a: ['href', 'title', 'rel', 'id', 'aria-label'],
  },
  transformTags: {
    ...options.transformTags,
    a: (tagName, { name, ...attributes }) => ({
      tagName,
      attribs: {
        ...attributes,
        ...(attributes.href !== undefined && { href: resolveLink(place, attributes.href) }),
        ...(name !== undefined && { id: name }),
        rel: 'nofollow noopener',
      },
    }),
    img: (tagName, attributes) => ({
      tagName,
      attribs: { ...attributes, ...(attributes.src !== undefined && { src: resolvePicture(place, attributes.src) }) },
    }),
    '*': (tagName, { id, ...attributes }) => ({
      tagName,
      attribs: id === undefined ? attributes : { ...attributes, id: withPrefix(id) },
    }),
  },
})

const withPrefix = (id: string): string => (id.startsWith(idPrefix) ? id : idPrefix + id)

function alignByAttribute(tagName: string, attributes: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const align = /^text-align:(left|center|right)$/.exec(attributes.style ?? '')?.[1]
  return { tagName, attribs: align ? { ...attributes, align } : attributes }
}
