/** Compares two branches, tags or commits, and opens a pull request from the difference. */
import { plural } from '../../src/lib/text/plural.ts'
import { isMissing } from '../api/fault.ts'
import { read, repositoryPath } from '../api/forge.ts'
import type { ChangedFile, Commit, Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useTitle } from '../app/page.ts'
import { useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { Changes } from '../parts/diff/changes.tsx'
import { useAct } from '../parts/form.tsx'
import { RefPicker } from '../parts/ref-picker.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty, Problem, Ready } from '../parts/state.tsx'
import { CommitList } from './commits.tsx'
import { codePath } from './paths.ts'

type Comparison = {
  readonly status: 'diverged' | 'ahead' | 'behind' | 'identical'
  readonly ahead_by: number
  readonly behind_by: number
  readonly total_commits: number
  readonly commits: readonly Commit[]
  readonly files: readonly ChangedFile[]
}

/** As the interface tells at once. */
const mostFiles = 300

export const CompareView = ({ params }: ViewProps) => (
  <RepositoryPage params={params} tab="code">
    {(repository) => <Compare repository={repository} range={params['*'] ?? ''} />}
  </RepositoryPage>
)

/** `base...head`; a name alone is compared with the default branch. */
export function readRange(range: string, usual: string): readonly [base: string, head: string] {
  const at = range.indexOf('...')
  if (at < 0) return [usual, range || usual]
  return [range.slice(0, at) || usual, range.slice(at + 3) || usual]
}

function Compare({ repository, range }: { repository: Repository; range: string }) {
  const [base, head] = readRange(range, repository.default_branch)
  useTitle(`Compare ${base} and ${head}`)
  const [owner, repo] = [repository.owner.login, repository.name]
  const isSame = base === head
  const found = useLoad(`compare ${owner}/${repo} ${base}...${head}`, async () =>
    isSame ? undefined : read<Comparison>(repositoryPath(owner, repo, 'compare', `${base}...${head}`)),
  )
  const to = (nextBase: string, nextHead: string) => codePath(repository, 'compare', `${nextBase}...${nextHead}`)
  return (
    <>
      <div class="heading">
        <h1>Compare changes</h1>
      </div>
      <div class="code-head">
        <RefPicker
          owner={owner}
          repo={repo}
          current={base}
          kind="branch"
          label="Base"
          hrefOf={(name) => to(name, head)}
        />
        <span class="soft">…</span>
        <RefPicker
          owner={owner}
          repo={repo}
          current={head}
          kind="branch"
          label="Compare"
          hrefOf={(name) => to(base, name)}
        />
        <a class="button tight quiet" href={to(head, base)}>
          Swap
        </a>
      </div>
      {isSame ? (
        <div class="card">
          <Empty title="Choose two different branches, tags or commits.">The comparison appears here.</Empty>
        </div>
      ) : found.value === undefined && isMissing(found.error) ? (
        <Problem message="There is no such branch, tag or commit, or the two have no history in common." />
      ) : (
        <Ready of={found}>
          {(comparison) =>
            comparison && <Shown repository={repository} base={base} head={head} comparison={comparison} />
          }
        </Ready>
      )}
    </>
  )
}

type ShownProps = { repository: Repository; base: string; head: string; comparison: Comparison }

function Shown({ repository, base, head, comparison }: ShownProps) {
  const { account } = useSession()
  const act = useAct()
  const { status, ahead_by: ahead, behind_by: behind, commits, files } = comparison
  if (status === 'identical' || status === 'behind')
    return (
      <div class="card">
        <Empty title={`${base} already has all commits of ${head}.`}>
          {status === 'behind' && <p>It is {plural(behind, 'commit')} ahead. Swap the two to see the difference.</p>}
        </Empty>
      </div>
    )
  const address = codePath(repository, 'pulls', 'new')
  const query = new URLSearchParams({ base, head })
  return (
    <>
      <div class="row spread">
        <span>
          {plural(ahead, 'commit')}, {plural(files.length, 'changed file')}
          {behind > 0 && <span class="soft"> · {plural(behind, 'commit')} behind</span>}
        </span>
        {account && !repository.archived && (
          <a class="button main" href={`${address}?${query}`}>
            Create pull request
          </a>
        )}
      </div>
      {comparison.total_commits > commits.length && (
        <p class="small soft">The first {plural(commits.length, 'commit')} are shown.</p>
      )}
      <CommitList repository={repository} commits={commits} />
      <Changes
        files={files}
        hasMore={false}
        act={act}
        loadMore={() => {}}
        linkOf={(file) => (file.status === 'removed' ? undefined : codePath(repository, 'blob', head, file.filename))}
      />
      {files.length >= mostFiles && (
        <p class="small soft">The first {mostFiles} files are shown. Compare with git to see all of them.</p>
      )}
    </>
  )
}
