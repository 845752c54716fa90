/** The query of an export: which items, how they are transformed, and in which format they are written. */
import { Failure } from '../../lib/failure.ts'
import { isXmlName, sanitizeXmlName } from '../xml/xml-names.ts'
import { type Condition, parseFilter } from './filter.ts'
import { type Ordering, parseDistinct, parseSort } from './order.ts'

export const formats = ['json', 'jsonl', 'xml', 'html', 'csv', 'xlsx', 'rss', 'parquet', 'arrow'] as const
export type Format = (typeof formats)[number]

/** How each stored item becomes records. */
export type Transformation = {
  readonly skipHidden: boolean
  readonly skipEmpty: boolean
  readonly skipFailedPages: boolean
  readonly unwind: readonly string[]
  readonly flatten: readonly string[]
  readonly fields: readonly string[] | null
  readonly outputFields: readonly string[] | null
  readonly omit: readonly string[]
}

export type ItemQuery = Transformation &
  Ordering & {
    readonly offset: number
    readonly limit: number | null
    readonly desc: boolean
    readonly format: Format
    readonly delimiter: string
    readonly bom: boolean
    readonly skipHeaderRow: boolean
    readonly xmlRoot: string
    readonly xmlRow: string
    readonly feedTitle: string | null
    readonly feedDescription: string | null
    readonly attachment: boolean
    readonly view: string | null
    /** Which items the page is picked from. */
    readonly filter: Condition | null
    readonly search: string | null
  }

/** Takes the address's pairs: the last value of a repeated name counts, and an empty value counts as absent. */
export function parseItemQuery(pairs: Iterable<readonly [string, string]>): ItemQuery {
  const given = new Map(pairs)
  const clean = readBoolean(given, 'clean') ?? false
  const simplified = readBoolean(given, 'simplified') ?? false
  const format = readFormat(given)
  const fields = readNames(given, 'fields') ?? (simplified ? ['url', 'pageFunctionResult', 'errorInfo'] : null)
  const unwind = readFewNames(given, 'unwind') ?? (simplified ? ['pageFunctionResult'] : [])
  return {
    offset: readInteger(given, 'offset') ?? 0,
    limit: readInteger(given, 'limit') || null,
    desc: readBoolean(given, 'desc') ?? false,
    format,
    skipHidden: clean || (readBoolean(given, 'skipHidden') ?? false),
    skipEmpty: clean || (readBoolean(given, 'skipEmpty') ?? false),
    skipFailedPages: readBoolean(given, 'skipFailedPages') ?? false,
    unwind,
    flatten: readFewNames(given, 'flatten') ?? [],
    fields,
    outputFields: readOutputFields(given, fields),
    omit: readNames(given, 'omit') ?? [],
    delimiter: readDelimiter(given),
    bom: readBoolean(given, 'bom') ?? format === 'csv',
    skipHeaderRow: readBoolean(given, 'skipHeaderRow') ?? false,
    xmlRoot: readXmlName(given, 'xmlRoot') ?? 'items',
    xmlRow: readXmlName(given, 'xmlRow') ?? 'item',
    feedTitle: given.get('feedTitle') || null,
    feedDescription: given.get('feedDescription') || null,
    attachment: readBoolean(given, 'attachment') ?? false,
    view: given.get('view') || null,
    filter: given.get('filter') ? parseFilter(given.get('filter')!) : null,
    search: readSearch(given),
    sort: given.get('sort') ? parseSort(given.get('sort')!) : [],
    distinct: given.get('distinct') ? parseDistinct(given.get('distinct')!) : [],
  }
}

/** A view's transformation applies wherever the query itself gives none. */
export function applyView(query: ItemQuery, schema: unknown): ItemQuery {
  if (query.view === null) return query
  if (schema === null || schema === undefined)
    throw new Failure(
      'invalid',
      'dataset-does-not-have-schema',
      'This data set has no schema, so it has no views: leave out view.',
    )
  const views = memberOf(schema, 'views')
  const view = isRecord(views) && Object.hasOwn(views, query.view) ? views[query.view] : undefined
  if (view === undefined)
    throw new Failure(
      'invalid',
      'requested-dataset-view-does-not-exist',
      `The schema has no view "${query.view}": use one of ${isRecord(views) ? Object.keys(views).join(', ') || 'none' : 'none'}.`,
    )
  const transformation = memberOf(view, 'transformation')
  const names = (key: string) => {
    const list = memberOf(transformation, key)
    return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []
  }
  const fewNames = (key: string) => demandFew(names(key), `The view "${query.view}" has in ${key}`)
  return {
    ...query,
    fields: query.fields ?? (names('fields').length > 0 ? names('fields') : null),
    omit: query.omit.length > 0 ? query.omit : names('omit'),
    unwind: query.unwind.length > 0 ? query.unwind : fewNames('unwind'),
    flatten: query.flatten.length > 0 ? query.flatten : fewNames('flatten'),
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const memberOf = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined

type Given = ReadonlyMap<string, string>

const invalid = (message: string) => new Failure('invalid', 'invalid-value', message)

export function readBoolean(given: Given, name: string): boolean | null {
  const text = given.get(name)
  if (text === undefined || text === '') return null
  if (text === '1' || text === 'true') return true
  if (text === '0' || text === 'false') return false
  throw invalid(`Query parameter ${name} must be 1, 0, true or false.`)
}

export function readInteger(given: Given, name: string): number | null {
  const text = given.get(name)
  if (text === undefined || text === '') return null
  if (!/^\d+$/.test(text)) throw invalid(`Query parameter ${name} must be a whole number, 0 or more.`)
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}

function readFormat(given: Given): Format {
  const text = given.get('format') || 'json'
  const format = formats.find((name) => name === text)
  if (format === undefined) throw invalid(`Query parameter format must be one of ${formats.join(', ')}.`)
  return format
}

function readNames(given: Given, name: string): string[] | null {
  const names = (given.get(name) ?? '').split(',').filter((part) => part !== '')
  return names.length > 0 ? names : null
}

/** Each name is looked for in every record that earlier ones made. A name may be repeated, for nested arrays. */
const maxSteppedNames = 100

function demandFew<T extends readonly string[]>(names: T, where: string): T {
  if (names.length > maxSteppedNames) throw invalid(`${where} over ${maxSteppedNames} names: name fewer.`)
  return names
}

function readFewNames(given: Given, name: string): string[] | null {
  const names = readNames(given, name)
  return names && demandFew(names, `Query parameter ${name} has`)
}

function readOutputFields(given: Given, fields: readonly string[] | null): string[] | null {
  const names = readNames(given, 'outputFields')
  if (names !== null && names.length !== (fields?.length ?? 0))
    throw invalid('Query parameter outputFields must name as many fields as the parameter fields does.')
  return names
}

export function readDelimiter(given: Given): string {
  const text = given.get('delimiter') || ','
  if ([...text].length !== 1 || /["\r\n]/.test(text))
    throw invalid('Query parameter delimiter must be one character other than a quote or a line break.')
  return text
}

const maxSearchLength = 1_000

function readSearch(given: Given): string | null {
  const text = given.get('search') || null
  if (text !== null && text.length > maxSearchLength)
    throw invalid(`Query parameter search has at most ${maxSearchLength} characters.`)
  return text
}

function readXmlName(given: Given, name: string): string | null {
  const text = given.get(name)
  if (text === undefined || text === '') return null
  const written = sanitizeXmlName(text)
  // Names that some parsers do not read are refused as well.
  const isName = isXmlName(text) && written === text.replaceAll(':', '_')
  if (!isName) throw invalid(`Query parameter ${name} must be a valid name of an XML element.`)
  return written
}
