/** Items as an RSS 2.0 feed: each record one item, its fields as plain elements. */
import { type Fields, NumberText } from '../items/value.ts'
import { writeAttributes, writeContent, writeElement } from './xml.ts'
import { escapeAttribute, escapeText } from './xml-text.ts'

export type Feed = {
  readonly title: string
  readonly description: string
  /** Where the data set is found by people, and where this very feed is. */
  readonly link: string
  readonly self: string
}

export function rssStart({ title, description, link, self }: Feed): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${escapeText(title)}</title>
<link>${escapeText(link)}</link>
<description>${escapeText(description)}</description>
<atom:link href="${escapeAttribute(self)}" rel="self" type="application/rss+xml"/>
`
}

export const rssEnd = '</channel>\n</rss>\n'

export function writeRssItem(fields: Fields): string {
  const guid = fields.get('guid')
  const isPlain = typeof guid === 'string' || guid instanceof NumberText
  const text = guid instanceof NumberText ? guid.text : guid
  if (!isPlain || /^https?:\/\//i.test(text as string)) return writeElement('item', fields)
  // RSS 2.0: a guid is taken for an address unless it says otherwise.
  const whole = writeContent(fields)
  const plain = writeElement('guid', guid)
  return `<item${writeAttributes(fields.get('@'))}>${whole.replace(plain, () => plain.replace('<guid>', '<guid isPermaLink="false">'))}</item>`
}
