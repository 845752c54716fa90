/** The commits of a pull, oldest first. */
import { readList } from '../api/forge.ts'
import type { Commit } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import type { ViewProps } from '../app/view.ts'
import { placeOfThread } from '../issues/thread.ts'
import { Avatar } from '../parts/avatar.tsx'
import { StepPager, usePage } from '../parts/pager.tsx'
import { Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { pullPath, usePull, usePullLive } from './pull-data.ts'
import { PullPage } from './pull-page.tsx'

const size = 100

export function PullCommitsView({ params }: ViewProps) {
  const place = placeOfThread(params)
  const { page } = usePage(size)
  const pull = usePull(place)
  const commits = useLoad(`commits ${pullPath(place)} ${page}`, () =>
    readList<Commit>(pullPath(place, 'commits'), { per_page: size, page }),
  )
  const reload = () => {
    pull.reload()
    commits.reload()
  }
  usePullLive(pull.value, reload)
  return (
    <PullPage params={params} tab="commits" loaded={pull} reload={reload}>
      {(_pull, repository) => (
        <Ready of={commits}>
          {({ items, hasMore }) => (
            <>
              <ul class="plain-list card flush">
                {items.map(({ sha, commit, author }) => (
                  <li key={sha} class="list-row row">
                    <span class="grow">
                      <a class="strong" href={`/${repository.full_name}/commit/${sha}`}>
                        {commit.message.split('\n', 1)[0] || 'No message'}
                      </a>
                      <span class="small soft block">
                        {author && <Avatar id={author.id} />} {author?.login ?? commit.author.name}{' '}
                        <When at={Date.parse(commit.author.date)} />
                      </span>
                    </span>
                    <a href={`/${repository.full_name}/commit/${sha}`} aria-label={`Commit ${sha.slice(0, 7)}`}>
                      <code>{sha.slice(0, 7)}</code>
                    </a>
                  </li>
                ))}
              </ul>
              <StepPager count={items.length} hasMore={hasMore} size={size} what="commits" />
            </>
          )}
        </Ready>
      )}
    </PullPage>
  )
}
