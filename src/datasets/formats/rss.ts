/** Items as an RSS 2.0 feed: each record one item, its fields as plain elements. */
import { type Fields, NumberText, type Value } from '../items/value.ts'
import { writeAttributes, writeContent, writeProperty } from './xml.ts'
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
  return `<item${writeAttributes(fields.get('@'))}>${writeContent(fields, writeRssProperty)}</item>`
}

/** RSS 2.0: a guid is taken for an address unless it says otherwise. */
function writeRssProperty(tag: string, value: Value): string {
  const element = writeProperty(tag, value)
  if (tag !== 'guid' || !(typeof value === 'string' || value instanceof NumberText)) return element
  const isAddress = typeof value === 'string' && /^https?:\/\//i.test(value)
  return isAddress ? element : element.replace('<guid>', '<guid isPermaLink="false">')
}
