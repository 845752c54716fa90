/** Problems are looked for by name and tag; both are in the address. */
import { useState } from 'preact/hooks'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { setQuery, usePlace } from '../app/location.ts'
import { SelectChoice } from '../parts/select-choice.tsx'

export function useProblemSearch(): { readonly text: string; readonly tag: string } {
  const { query } = usePlace()
  return { text: query.get('q') ?? '', tag: query.get('tag') ?? '' }
}

export function ProblemSearch() {
  const { text, tag } = useProblemSearch()
  const [wished, setWished] = useState(text)
  const tags = useLoad('problem tags', async () => (await call('get_problem_tag_list', {})).TagList)
  const offered = (tags.value ?? []).map(({ Tag, ProblemCount }) => [Tag, `${Tag} (${ProblemCount})`] as const)
  const find = (event: Event) => {
    event.preventDefault()
    setQuery({ q: wished.trim() || undefined, page: undefined })
  }
  return (
    <search class="row filters">
      <form class="row small" onSubmit={find}>
        <input
          type="search"
          class="input small"
          aria-label="Name or tag"
          placeholder="Name or tag"
          value={wished}
          maxLength={256}
          onInput={(event) => setWished(event.currentTarget.value)}
        />
        <button type="submit" class="button tight">
          Search
        </button>
      </form>
      {(offered.length > 0 || tag) && (
        <SelectChoice
          label="Tag"
          value={tag}
          choose={(next) => setQuery({ tag: next || undefined, page: undefined })}
          options={[
            ['', 'any'],
            ...(tag && !offered.some(([one]) => one === tag) ? [[tag, tag] as const] : []),
            ...offered,
          ]}
        />
      )}
    </search>
  )
}
