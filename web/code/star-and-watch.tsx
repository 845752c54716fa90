/** What a person does with a repository from its home: copy it if it is a template, star, fork and watch; and how many others did. */
import { plural } from '../../src/lib/text/plural.ts'
import { repositoryPath, send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { queryGraphql } from '../api/graphql.ts'
import { useLoad } from '../app/load.ts'
import { useSession } from '../app/session.ts'
import { formatCount } from '../parts/figures.ts'
import { useAct } from '../parts/form.tsx'
import { FailedAct } from '../parts/state.tsx'
import { codePath } from './paths.ts'
import { WatchMenu, type WatchState } from './watch-menu.tsx'

type Marks = { readonly isStarred: boolean; readonly watch: WatchState }

const none: Marks = { isStarred: false, watch: 'UNSUBSCRIBED' }

export function StarAndWatch({ repository }: { repository: Repository }) {
  const { account } = useSession()
  const marks = useLoad(`own marks ${account?.ID} ${repository.id}`, async () =>
    account ? readMarks(repository) : none,
  )
  const act = useAct()
  const { isStarred, watch } = marks.value ?? none
  const star = () =>
    act.run(async () => {
      await send(isStarred ? 'DELETE' : 'PUT', `/user/starred/${repository.full_name}`)
      marks.replace({ isStarred: !isStarred, watch })
    })
  const choose = (next: WatchState) =>
    act.run(async () => {
      const path = repositoryPath(repository.owner.login, repository.name, 'subscription')
      if (next === 'UNSUBSCRIBED') await send('DELETE', path)
      else await send('PUT', path, { subscribed: next === 'SUBSCRIBED', ignored: next === 'IGNORED' })
      marks.replace({ isStarred, watch: next })
    })
  return (
    <>
      {account && repository.is_template && (
        <p>
          <a class="button primary" href={`/-/repositories/new?template=${repository.full_name}`}>
            Use this template
          </a>
        </p>
      )}
      {account && (
        <p class="row tight-row small">
          <button
            type="button"
            class="button tight"
            aria-pressed={isStarred}
            disabled={act.isBusy}
            onClick={() => void star()}
          >
            {isStarred ? '★ Starred' : '☆ Star'}
          </button>
          {marks.value && <WatchMenu watch={watch} isBusy={act.isBusy} choose={(next) => void choose(next)} />}
          {repository.allow_forking !== false && (
            <a class="button tight" href={codePath(repository, 'forks')}>
              Fork
            </a>
          )}
        </p>
      )}
      <p class="row small">
        <a href={codePath(repository, 'stargazers')}>{plural(repository.stargazers_count, 'star')}</a>
        {repository.subscribers_count !== undefined && (
          <a href={codePath(repository, 'watchers')}>{formatCount(repository.subscribers_count)} watching</a>
        )}
        <a href={codePath(repository, 'forks')}>{plural(repository.forks_count, 'fork')}</a>
      </p>
      <FailedAct act={act} />
    </>
  )
}

const marksQuery = `query($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) { viewerHasStarred viewerSubscription }
}`

/** Read over GraphQL, because REST answers "no" with 404. */
async function readMarks({ owner, name }: Repository): Promise<Marks> {
  type Answer = {
    readonly repository: { readonly viewerHasStarred: boolean; readonly viewerSubscription: WatchState | null } | null
  }
  const { repository } = await queryGraphql<Answer>(marksQuery, { owner: owner.login, name })
  return {
    isStarred: repository?.viewerHasStarred ?? false,
    watch: repository?.viewerSubscription ?? 'UNSUBSCRIBED',
  }
}
