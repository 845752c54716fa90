/** The blame of a file: the commit of each line. */
import { read, repositoryPath } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { queryGraphql } from '../api/graphql.ts'
import { type Loaded, useLoad } from '../app/load.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { CodeTable } from '../parts/code-table.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { FileBar, type FileProps, useContent } from './blob.tsx'
import { CodeHead } from './code-head.tsx'
import { readBody } from './file/file-text.ts'
import { useLines } from './file/line-choice.tsx'
import { codePath } from './paths.ts'
import { toRef } from './place.ts'
import { OrMissing, Placed } from './placed.tsx'
import type { Content } from './tree/folder.ts'

type Range = {
  readonly startingLine: number
  readonly endingLine: number
  readonly age: number
  readonly commit: {
    readonly oid: string
    readonly messageHeadline: string
    readonly committedDate: string
    readonly author: { readonly name: string | null; readonly user: { readonly login: string } | null } | null
  }
}

const ranges = `
  blame(path: $path) {
    ranges {
      startingLine endingLine age
      commit { oid messageHeadline committedDate author { name user { login } } }
    }
  }`

/** The ref is resolved to a commit first; the lines are requested by the commit's id. */
async function readBlame({ repository, place }: FileProps): Promise<readonly Range[]> {
  const [owner, name] = [repository.owner.login, repository.name]
  const { node_id: id } = await read<{ node_id: string }>(repositoryPath(owner, name, 'commits', toRef(place)))
  const query = `query ($id: ID!, $path: String!) { node(id: $id) { ... on Commit { ${ranges} } } }`
  const { node } = await queryGraphql<{ node: { blame: { ranges: Range[] } } }>(query, { id, path: place.path })
  return node.blame.ranges
}

export const BlameView = ({ params }: ViewProps) => (
  <Placed params={params}>{(repository, place) => <Blame repository={repository} place={place} />}</Placed>
)

function Blame(props: FileProps) {
  const { repository, place } = props
  useTitle(`Blame of ${place.path} at ${place.ref}`)
  const content = useContent(props)
  const blame = useLoad(`blame ${repository.full_name} ${toRef(place)} ${place.path}`, () => readBlame(props))
  return (
    <>
      <h1 class="hidden-text">
        Blame of {place.path} at {place.ref}
      </h1>
      <CodeHead repository={repository} place={place} page="blame" isFile />
      <OrMissing of={content} owner={repository.owner.login} repo={repository.name}>
        {(found) =>
          found.type === 'file' ? (
            <Lines {...props} content={found} blame={blame} />
          ) : (
            <div class="card">
              <Empty title="This is not a file.">
                <a href={codePath(repository, 'tree', place.ref, place.path)}>Open the folder</a>
              </Empty>
            </div>
          )
        }
      </OrMissing>
    </>
  )
}

function Lines(props: FileProps & { content: Content; blame: Loaded<readonly Range[]> }) {
  const { repository, place, content, blame } = props
  const key = `${repository.full_name} ${content.sha} ${content.path}`
  const body = useLoad(`body ${key}`, () => readBody(repository.owner.login, repository.name, content, toRef(place)))
  const { lines, select } = useLines()
  const byLine = new Map(blame.value?.map((range) => [range.startingLine, range]))
  return (
    <div class="card flush file">
      <FileBar {...props} page="blame" body={body.value} />
      {blame.error !== undefined && (
        <div class="diff-note">
          <Ready of={blame}>{() => null}</Ready>
        </div>
      )}
      <Ready of={body}>
        {(found) =>
          found.kind === 'text' ? (
            <CodeTable
              text={found.text}
              path={content.path}
              selected={lines}
              select={select}
              beforeOf={(line) => {
                const range = byLine.get(line)
                return range && <Origin repository={repository} range={range} />
              }}
            />
          ) : (
            <Empty title="This file is empty." />
          )
        }
      </Ready>
    </div>
  )
}

const Origin = ({ repository, range: { age, commit } }: { repository: Repository; range: Range }) => (
  <span class={`origin age-${Math.min(10, Math.max(1, age))}`}>
    <a href={codePath(repository, 'commit', commit.oid)} title={commit.messageHeadline}>
      <bdi>{commit.messageHeadline || 'No message'}</bdi>
    </a>
    <span class="origin-who soft">
      {commit.author?.user?.login ?? commit.author?.name} · <When at={Date.parse(commit.committedDate)} />
    </span>
  </span>
)
