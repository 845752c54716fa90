/** The filters of submissions: person, problem, language and result. All of them are in the address. */
import { useState } from 'preact/hooks'
import { findPerson } from '../api/people.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { setQuery, usePlace } from '../app/location.ts'
import { isSetter, useSession } from '../app/session.ts'
import { useAct } from '../parts/form.tsx'
import { SelectChoice } from '../parts/select-choice.tsx'
import { Failed } from '../parts/state.tsx'
import { finished, results } from './results.ts'

export type Filter = {
  readonly accountId: number | undefined
  readonly problem: string | undefined
  readonly language: string | undefined
  readonly result: number | undefined
  readonly status: number | undefined
}

/** `isNarrow`: filters that the numbered lists do not support. */
export function useFilter(): Filter & { readonly by: string; readonly isNarrow: boolean } {
  const { query } = usePlace()
  const session = useSession()
  const own = session.account!.ID
  // A teacher looks for those of others.
  const by = query.get('by') ?? (isSetter(session) ? 'all' : 'me')
  const language = query.get('language') ?? undefined
  const wanted = query.get('result') ?? ''
  const result = /^\d$/.test(wanted) ? Number(wanted) : undefined
  return {
    by,
    accountId: by === 'me' ? own : /^\d+$/.test(by) ? Number(by) : undefined,
    problem: query.get('problem') ?? undefined,
    language,
    result,
    status: result !== undefined && result > 0 ? finished : undefined,
    isNarrow: language !== undefined || result !== undefined,
  }
}

const any = ['', 'any'] as const

/** A new question begins at the first page. */
const ask = (change: Readonly<Record<string, string | undefined>>) =>
  setQuery({ ...change, page: undefined, before: undefined })

export function Filters({
  authorName,
  problemName,
}: {
  authorName: string | undefined
  problemName: string | undefined
}) {
  const { info } = useSession()
  const filter = useFilter()
  const problems = useLoad('problems to choose', () => call('get_problem_snippet_list', { Offset: 0, Limit: 100 }))
  const offered = problems.value?.ProblemSnippetList ?? []
  const isOffered = offered.some(({ UUID }) => UUID === filter.problem)
  return (
    <search class="row filters">
      <SelectChoice
        label="By"
        value={filter.by}
        choose={(by) => ask({ by })}
        options={[
          ['me', 'me'],
          ['all', 'everyone'],
          ...(filter.by !== 'me' && filter.by !== 'all'
            ? [[filter.by, authorName ?? `account ${filter.by}`] as const]
            : []),
        ]}
      />
      <SelectChoice
        label="Problem"
        value={filter.problem ?? ''}
        choose={(problem) => ask({ problem })}
        options={[
          any,
          ...(filter.problem && !isOffered ? [[filter.problem, problemName ?? 'one problem'] as const] : []),
          ...offered.map(({ UUID, DisplayName }) => [UUID, DisplayName] as const),
        ]}
      />
      <SelectChoice
        label="Language"
        value={filter.language ?? ''}
        choose={(language) => ask({ language })}
        options={[any, ...info.SupportedLanguageList.map(({ Value, Name }) => [Value, Name] as const)]}
      />
      <SelectChoice
        label="Result"
        value={filter.result === undefined ? '' : String(filter.result)}
        choose={(result) => ask({ result })}
        options={[any, ...results.map((text, at) => [String(at), text] as const)]}
      />
      <Person />
    </search>
  )
}

/** Anybody's, by the name they sign in with. */
function Person() {
  const act = useAct()
  const [name, setName] = useState('')
  const find = (event: Event) => {
    event.preventDefault()
    void act.run(async () => {
      const { id } = await findPerson(name.trim())
      setName('')
      ask({ by: String(id) })
    })
  }
  return (
    <form class="row small" onSubmit={find}>
      <input
        class="input small"
        aria-label="By a person"
        placeholder="sign-in name"
        value={name}
        maxLength={39}
        size={14}
        required
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit" class="button tight" disabled={act.isBusy}>
        Show
      </button>
      {act.error !== undefined && <Failed error={act.error} />}
    </form>
  )
}
