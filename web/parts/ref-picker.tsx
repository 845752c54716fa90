/** The branch, tag or commit that is looked at, and a list of others to go to, found by their names. */
import { useState } from 'preact/hooks'
import { readList, repositoryPath } from '../api/forge.ts'
import { queryGraphql } from '../api/graphql.ts'
import { useLoad } from '../app/load.ts'
import { useSession } from '../app/session.ts'
import { Failed } from './state.tsx'

type Props = {
  readonly owner: string
  readonly repo: string
  /** Its name, as people read it. */
  readonly current: string
  readonly kind: 'branch' | 'tag' | 'commit'
  /** Without it only branches are offered. */
  readonly hasTags?: boolean
  /** What stands before the name; by itself the kind does. */
  readonly label?: string
  hrefOf(name: string, kind: 'branch' | 'tag'): string
}

const kindNames = { branch: 'Branch', tag: 'Tag', commit: 'Commit' } as const

export function RefPicker(props: Props) {
  const { current, kind, label } = props
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="menu" onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary class="button tight">
        <span class="soft">{label ?? kindNames[kind]}</span> <bdi class="menu-name">{current}</bdi>
      </summary>
      {isOpen && <Choices {...props} />}
    </details>
  )
}

function Choices({ owner, repo, current, hasTags = true, hrefOf }: Props) {
  const [kind, setKind] = useState<'branch' | 'tag'>('branch')
  const [words, setWords] = useState('')
  const { account } = useSession()
  const names = useLoad(`refs ${owner}/${repo} ${kind} ${words}`, () => {
    const start = `${kind === 'branch' ? 'heads' : 'tags'}/`
    const find = account ? findAnywhere : findAtStart
    return find(owner, repo, start, words.trim())
  })
  return (
    <div class="menu-box">
      {hasTags && (
        <fieldset class="plain switch">
          <legend class="hidden-text">Kind</legend>
          {(['branch', 'tag'] as const).map((one) => (
            <label key={one}>
              <input type="radio" name="ref-kind" checked={kind === one} onChange={() => setKind(one)} />
              <span>{one === 'branch' ? 'Branches' : 'Tags'}</span>
            </label>
          ))}
        </fieldset>
      )}
      <input
        class="input"
        type="search"
        value={words}
        aria-label={kind === 'branch' ? 'Find a branch' : 'Find a tag'}
        placeholder={account ? 'Part of the name' : 'Start of the name'}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      {names.error !== undefined && <Failed error={names.error} retry={names.reload} />}
      <ul class="plain-list menu-list">
        {names.value?.list.map((name) => (
          <li key={name}>
            <a href={hrefOf(name, kind)} {...(name === current && { 'aria-current': 'true' as const })}>
              <bdi>{name}</bdi>
            </a>
          </li>
        ))}
        {names.value?.list.length === 0 && (
          <li class="soft small">{words ? 'No matches.' : kind === 'branch' ? 'No branches.' : 'No tags.'}</li>
        )}
        {names.value?.hasMore && <li class="soft small">There are more: type a part of the name.</li>}
      </ul>
    </div>
  )
}

type Names = { readonly list: readonly string[]; readonly hasMore: boolean }
const mostNames = 100

async function findAtStart(owner: string, repo: string, start: string, words: string): Promise<Names> {
  const path = repositoryPath(owner, repo, 'git', 'matching-refs', start + words)
  const { items, hasMore } = await readList<{ ref: string }>(path, { per_page: mostNames })
  return { list: items.map(({ ref }) => ref.slice(`refs/${start}`.length)), hasMore }
}

const query = `query($owner: String!, $name: String!, $prefix: String!, $words: String!, $most: Int!) {
  repository(owner: $owner, name: $name) { refs(refPrefix: $prefix, query: $words, first: $most) {
    nodes { name } pageInfo { hasNextPage } } } }`
type Answer = {
  readonly repository: {
    readonly refs: {
      readonly nodes: readonly { readonly name: string }[]
      readonly pageInfo: { readonly hasNextPage: boolean }
    }
  }
}

/** GraphQL finds a part in the middle, too; it asks for an account. */
async function findAnywhere(owner: string, name: string, start: string, words: string): Promise<Names> {
  const variables = { owner, name, prefix: `refs/${start}`, words, most: mostNames }
  const { refs } = (await queryGraphql<Answer>(query, variables)).repository
  return { list: refs.nodes.map((ref) => ref.name), hasMore: refs.pageInfo.hasNextPage }
}
