/** Code that has the words of a search, file by file, with the lines that they stand in. */
import { plural } from '../../src/lib/text/plural.ts'
import { read, readText, repositoryPath } from '../api/forge.ts'
import { useLoad } from '../app/load.ts'
import { setQuery, usePlace } from '../app/location.ts'
import { useSignedIn, useTitle } from '../app/page.ts'
import { Heading } from '../parts/heading.tsx'
import { StepPager, usePage } from '../parts/pager.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { cutLines, type FoundLine, wordsOf } from './found-lines.ts'

type Hit = {
  readonly path: string
  readonly sha: string
  readonly html_url: string
  readonly repository: { readonly full_name: string; readonly name: string; readonly owner: { readonly login: string } }
}

type Found = { readonly total_count: number; readonly incomplete_results: boolean; readonly items: readonly Hit[] }

/** Each file is read to show its lines. */
const size = 10

export function CodeSearchView() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View /> : null
}

function View() {
  const { query } = usePlace()
  const { page } = usePage(size)
  const text = (query.get('q') ?? '').trim()
  useTitle(text ? `Code: ${text}` : 'Search code')
  const found = useLoad(`code ${text} ${page}`, async () =>
    text === '' ? undefined : read<Found>('/search/code', { q: text, per_page: size, page }),
  )
  const find = (event: Event) => {
    event.preventDefault()
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('q') as HTMLInputElement
    setQuery({ q: field.value.trim(), page: undefined })
  }
  return (
    <>
      <Heading title="Search code" note="In the default branches of repositories that you can read." />
      <form class="row filters" onSubmit={find}>
        <input
          class="input grow"
          type="search"
          name="q"
          aria-label="Search code"
          placeholder="Words, repo:owner/name, path:src, language:python …"
          maxLength={200}
          defaultValue={text}
          key={text}
        />
        <button type="submit" class="button">
          Search
        </button>
      </form>
      <Ready of={found}>
        {(answer) =>
          answer === undefined ? (
            <div class="card">
              <Empty title="Write the words to search for." />
            </div>
          ) : answer.items.length === 0 ? (
            <div class="card">
              <Empty title="No file has these words." />
            </div>
          ) : (
            <>
              <p class="small soft" role="status">
                {plural(answer.total_count, 'file')}
                {answer.incomplete_results && ', and there may be more: name a repository to search all of it'}
              </p>
              {answer.items.map((hit) => (
                <File key={hit.html_url} hit={hit} text={text} />
              ))}
              <StepPager
                count={answer.items.length}
                hasMore={page * size < answer.total_count}
                size={size}
                what="files"
              />
            </>
          )
        }
      </Ready>
    </>
  )
}

function File({ hit, text }: { hit: Hit; text: string }) {
  const { path, sha, html_url: url, repository } = hit
  const address = new URL(url).pathname
  const blob = repositoryPath(repository.owner.login, repository.name, 'git', 'blobs', sha)
  const lines = useLoad(`lines ${repository.full_name} ${sha} ${text}`, async () =>
    cutLines(await readText(blob, 'application/vnd.github.raw+json'), wordsOf(text)),
  )
  return (
    <section class="card flush code-hit" aria-label={`${repository.full_name}: ${path}`}>
      <h2 class="code-hit-name">
        <a class="soft" href={`/${repository.full_name}`}>
          {repository.full_name}
        </a>{' '}
        <a href={address}>
          <bdi>{path}</bdi>
        </a>
      </h2>
      <Ready of={lines}>
        {({ shown, hidden }) => (
          <>
            {shown.length > 0 && (
              <table class="code-hit-lines">
                <caption class="hidden-text">Lines of {path}</caption>
                <tbody>
                  {shown.map((line) => (
                    <Line key={line.number} line={line} address={address} />
                  ))}
                </tbody>
              </table>
            )}
            {shown.length === 0 && <p class="small soft code-hit-note">The words are in its name.</p>}
            {hidden > 0 && (
              <p class="small soft code-hit-note">
                <a href={address}>{plural(hidden, 'more line')}</a>
              </p>
            )}
          </>
        )}
      </Ready>
    </section>
  )
}

const Line = ({ line: { number, pieces }, address }: { line: FoundLine; address: string }) => (
  <tr>
    <td class="code-hit-number">
      <a href={`${address}#L${number}`} aria-label={`Line ${number}`}>
        {number}
      </a>
    </td>
    <td class="code-hit-text">
      {pieces.map(([piece, isFound], at) => (isFound ? <mark key={at}>{piece}</mark> : piece))}
    </td>
  </tr>
)
