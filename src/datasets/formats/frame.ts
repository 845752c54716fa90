/** The frame of a text format: how the file begins, what separates slices, and how it ends. */
import type { Format, ItemQuery } from '../query/item-query.ts'
import { writeCsvHeader } from './csv/csv.ts'
import { htmlEnd, htmlStart } from './html.ts'
import { type Feed, rssEnd, rssStart } from './rss.ts'
import { xmlEnd, xmlStart } from './xml.ts'

export type Frame = { readonly start: Buffer; readonly separator: Buffer; readonly end: Buffer }

export type Labels = { readonly names: readonly string[]; readonly feed: Feed; readonly title: string }

export const contentTypes: { readonly [format in Format]: string } = {
  json: 'application/json; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  html: 'text/html; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
  rss: 'application/rss+xml; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.file',
}

export function frameOf(query: ItemQuery, labels: Labels): Frame {
  const [start, separator, end] = textsOf(query, labels)
  return {
    start: Buffer.from((query.bom ? '\ufeff' : '') + start),
    separator: Buffer.from(separator),
    end: Buffer.from(end),
  }
}

function textsOf(query: ItemQuery, { names, feed, title }: Labels): [string, string, string] {
  switch (query.format) {
    case 'json':
      return ['[', ',', ']']
    case 'csv':
      return [query.skipHeaderRow ? '' : writeCsvHeader(names, query.delimiter), '', '']
    case 'html':
      return [htmlStart(title, names, !query.skipHeaderRow), '', htmlEnd]
    case 'xml':
      return [xmlStart(query.xmlRoot), '', xmlEnd(query.xmlRoot)]
    case 'rss':
      return [rssStart(feed), '', rssEnd]
    case 'jsonl':
    case 'xlsx':
    case 'parquet':
    case 'arrow':
      return ['', '', '']
  }
}
