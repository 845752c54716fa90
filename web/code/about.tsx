/** The "About" column of a repository: description, releases, contributors, languages. */
import { plural } from '../../src/lib/text/plural.ts'
import { readIfThere, readList, repositoryPath } from '../api/forge.ts'
import type { Repository, User } from '../api/forge-types.ts'
import { type Loaded, useLoad } from '../app/load.ts'
import { Avatar } from '../parts/avatar.tsx'
import { When } from '../parts/when.tsx'
import { Languages } from './languages.tsx'
import { codePath } from './paths.ts'
import { StarAndWatch } from './star-and-watch.tsx'

type Facts = {
  readonly languages: Readonly<Record<string, number>>
  readonly contributors: readonly (User & { readonly contributions: number })[]
  readonly release:
    | { readonly name: string | null; readonly tag_name: string; readonly published_at: string }
    | undefined
}

type Listed = NonNullable<Facts['release']> & { readonly draft: boolean; readonly prerelease: boolean }

async function readFacts(owner: string, repo: string): Promise<Facts> {
  const path = (...rest: string[]) => repositoryPath(owner, repo, ...rest)
  const [languages, contributors, release] = await Promise.all([
    readIfThere<Facts['languages']>(path('languages')),
    readList<Facts['contributors'][number]>(path('contributors'), { per_page: 14 }),
    readLatest(path('releases')),
  ])
  return { languages: languages ?? {}, contributors: contributors.items, release }
}

/** The newest published release; `/releases/latest` answers 404 if there is none. */
async function readLatest(path: string): Promise<Facts['release']> {
  const { items } = await readList<Listed>(path, { per_page: 10 })
  return items.find(({ draft, prerelease }) => !draft && !prerelease)
}

export function About({ repository, isEmpty }: { repository: Repository; isEmpty: boolean }) {
  const { owner, name, description, homepage, topics } = repository
  const facts = useLoad(`facts ${repository.full_name} ${isEmpty}`, async () =>
    isEmpty ? { languages: {}, contributors: [], release: undefined } : readFacts(owner.login, name),
  )
  return (
    <aside class="about" aria-label="About this repository">
      <section>
        <h2>About</h2>
        <p>{description || <span class="soft">No description.</span>}</p>
        {homepage && /^https?:\/\//.test(homepage) && (
          <p>
            <a href={homepage} rel="noreferrer nofollow">
              {homepage}
            </a>
          </p>
        )}
        {topics.length > 0 && (
          <p class="row tight-row">
            {topics.map((topic) => (
              <a key={topic} class="badge" href={`/-/repositories?all&q=${encodeURIComponent(`topic:${topic}`)}`}>
                {topic}
              </a>
            ))}
          </p>
        )}
        <StarAndWatch repository={repository} />
      </section>
      <Shown facts={facts} repository={repository} />
    </aside>
  )
}

function Shown({ facts: { value }, repository }: { facts: Loaded<Facts>; repository: Repository }) {
  if (!value) return null
  const { languages, contributors, release } = value
  return (
    <>
      {release && (
        <section>
          <h2>
            <a href={codePath(repository, 'releases')}>Releases</a>
          </h2>
          <p>
            <a href={codePath(repository, 'releases', 'tag', release.tag_name)}>
              <b>{release.name || release.tag_name}</b>
            </a>{' '}
            <span class="small soft">
              <When at={Date.parse(release.published_at)} />
            </span>
          </p>
        </section>
      )}
      {contributors.length > 0 && (
        <section>
          <h2>
            <a href={codePath(repository, 'graphs', 'contributors')}>Contributors</a>
          </h2>
          <p class="row tight-row">
            {contributors.map((person) => (
              <a
                key={person.id}
                href={`/${person.login}`}
                title={`${person.login}: ${plural(person.contributions, 'commit')}`}
                aria-label={person.login}
              >
                <Avatar id={person.id} size={32} />
              </a>
            ))}
          </p>
        </section>
      )}
      {Object.keys(languages).length > 0 && (
        <section>
          <h2>Languages</h2>
          <Languages bytes={languages} />
        </section>
      )}
    </>
  )
}
