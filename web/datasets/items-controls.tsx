/**
 * Which items are shown, and in what order: searched, filtered, told apart and sorted by the server. All of it is in
 * the address.
 */
import { useState } from 'preact/hooks'
import { setQuery, usePlace } from '../app/location.ts'
import { SelectChoice } from '../parts/select-choice.tsx'

const narrowing = ['search', 'filter', 'distinct'] as const

export type Selection = {
  /** For the interface. */
  readonly params: Readonly<Record<string, string>>
  readonly sort: string
  readonly isNewestFirst: boolean
  /** With these, the total is unknown until all items are read. */
  readonly isNarrowed: boolean
}

export function useSelection(): Selection {
  const { query } = usePlace()
  const isNewestFirst = query.get('order') === 'new'
  const sort = query.get('sort') ?? ''
  const given = Object.fromEntries(
    [...narrowing, 'sort'].flatMap((name) => {
      const value = query.get(name)
      return value ? [[name, value]] : []
    }),
  )
  return {
    params: { ...given, ...(isNewestFirst && { desc: '1' }) },
    sort,
    isNewestFirst,
    isNarrowed: narrowing.some((name) => query.get(name)),
  }
}

/** A new question begins at the first page. */
const ask = (change: Readonly<Record<string, string | undefined>>) => setQuery({ ...change, page: undefined })

const fields = [
  ['search', 'Contains', 'any text'],
  ['filter', 'Where', 'year >= 1900 and lang = "en"'],
  ['distinct', 'Unique by', 'field, field'],
] as const

export function ItemsControls() {
  const { query } = usePlace()
  const { isNewestFirst, isNarrowed, sort } = useSelection()
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const textOf = (name: string) => texts[name] ?? query.get(name) ?? ''
  const submit = (event: Event) => {
    event.preventDefault()
    ask(Object.fromEntries(narrowing.map((name) => [name, textOf(name).trim()])))
  }
  const clear = () => {
    setTexts({})
    ask({ search: undefined, filter: undefined, distinct: undefined, sort: undefined })
  }
  return (
    <search>
      <form class="row filters" onSubmit={submit}>
        {fields.map(([name, label, example]) => (
          <label class="row small" key={name}>
            <span class="soft">{label}</span>
            <input
              class="input small"
              placeholder={example}
              value={textOf(name)}
              maxLength={1_000}
              onInput={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
            />
          </label>
        ))}
        <button type="submit" class="button tight">
          Show
        </button>
        {(isNarrowed || sort) && (
          <button type="button" class="button quiet tight" onClick={clear}>
            All items
          </button>
        )}
        <SelectChoice
          label="Order"
          value={isNewestFirst ? 'new' : ''}
          choose={(order) => ask({ order })}
          options={[
            ['', 'as pushed'],
            ['new', 'newest first'],
          ]}
        />
      </form>
    </search>
  )
}

/** The field's name in the interface; undefined if it can't be used in a list. */
const nameField = (name: string): string | undefined =>
  /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : /[`,/]/.test(name) ? undefined : `\`${name}\``

/** A column header: one press sorts, the second reverses, the third restores the order. */
export function ColumnHead({ name, sort }: { name: string; sort: string }) {
  const field = nameField(name)
  if (field === undefined) return <th scope="col">{name}</th>
  const order = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none'
  const next = { none: field, ascending: `-${field}`, descending: undefined }[order]
  return (
    <th scope="col" aria-sort={order}>
      <button type="button" class="sort" title={`Sort by ${name}`} onClick={() => ask({ sort: next })}>
        {name}
        <span aria-hidden="true">{{ none: '', ascending: ' ▲', descending: ' ▼' }[order]}</span>
      </button>
    </th>
  )
}
