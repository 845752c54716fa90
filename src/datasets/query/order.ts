/** The `sort` and `distinct` of a query: fields that order items, and fields whose equal items are kept once. */
import { Failure } from '../../lib/failure.ts'
import type { FieldPath } from './filter.ts'

export type SortField = { readonly path: FieldPath; readonly isDescending: boolean }

export type Ordering = { readonly sort: readonly SortField[]; readonly distinct: readonly FieldPath[] }

export const isOrdered = ({ sort, distinct }: Ordering): boolean => sort.length > 0 || distinct.length > 0

const maxFields = 8
const maxLength = 4_000
const sortWord = 'Query parameter sort'
const distinctWord = 'Query parameter distinct'

/** `-year,seller/name`: by year descending, then by name. */
export const parseSort = (text: string): SortField[] =>
  splitFields(sortWord, text).map((field) => {
    const isDescending = field.startsWith('-')
    return { path: parsePath(sortWord, isDescending ? field.slice(1) : field), isDescending }
  })

export const parseDistinct = (text: string): FieldPath[] =>
  splitFields(distinctWord, text).map((field) => parsePath(distinctWord, field))

const invalid = (what: string, message: string) => new Failure('invalid', 'invalid-value', `${what}: ${message}.`)

/** A comma between backticks is part of a name. */
function splitFields(what: string, text: string): string[] {
  if (text.length > maxLength) throw invalid(what, `it has over ${maxLength} characters`)
  if (text.split('`').length % 2 === 0) throw invalid(what, 'a backtick is not closed')
  const fields = (text.match(/(?:`[^`]*`|[^,`])+/g) ?? []).map((field) => field.trim()).filter((field) => field !== '')
  if (fields.length === 0) throw invalid(what, 'it names no field')
  if (fields.length > maxFields) throw invalid(what, `it names over ${maxFields} fields`)
  return fields
}

/** Between backticks a slash is part of the name. `what`: the name of the parameter in error messages. */
export function parsePath(what: string, field: string): FieldPath {
  if (/^`[^`]+`$/.test(field)) return [field.slice(1, -1)]
  if (field === '' || field.includes('`'))
    throw invalid(what, `"${field}" is not a field (odd names stand between backticks)`)
  return field.split('/')
}

/** Spells a path as `filter`, `sort` and `distinct` accept it. */
export function spellPath(path: FieldPath): string {
  const isPlain = path.every((segment) => /^[^\s=<>!()"'`,/-][^\s=<>!()"'`,/]*$/.test(segment))
  return isPlain ? path.join('/') : path.length === 1 ? `\`${path[0]}\`` : path.join('/')
}
