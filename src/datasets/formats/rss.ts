/** Items as an RSS 2.0 feed: each record is one item, its fields are plain elements. */
import { isString, readString } from '../items/json-text.ts'
import type { JsonTree } from '../items/json-tree.ts'
import { escapeAttribute, escapeText } from '../xml/xml-text.ts'
import type { XmlWriter } from '../xml/xml-writer.ts'
import { readElement, writeChildren, writeProperty } from './xml.ts'

export type Feed = {
  readonly title: string
  readonly description: string
  /** The data set's page for people, and the address of this feed. */
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

export function writeRssItem(out: XmlWriter, item: JsonTree): void {
  const element = readElement(item, 0)
  out.add(`<item${element.attributes}>`)
  if (!writeChildren(out, element, writeRssProperty)) out.add(element.text)
  out.add('</item>')
}

/** RSS 2.0: a guid is taken for an address unless it says otherwise. */
function writeRssProperty(out: XmlWriter, tag: string, tree: JsonTree, at: number): void {
  const guid = tag === 'guid' && !tree.isObject(at) && !tree.isArray(at) ? tree.slice(at) : 'null'
  const text = isString(guid) ? readString(guid) : guid
  if (/^(?:null|true|false)$/.test(guid) || /^https?:\/\//i.test(text)) writeProperty(out, tag, tree, at)
  else out.add(`<guid isPermaLink="false">${escapeText(text)}</guid>`)
}
