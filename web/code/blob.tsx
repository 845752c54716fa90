/** The page of a file: its text with numbered lines, Markdown as it reads, pictures; and what can be done with it. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { plural } from '../../src/lib/text/plural.ts'
import { readText, repositoryPath } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { usePlace } from '../app/location.ts'
import { useTitle } from '../app/page.ts'
import { useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { CodeTable, splitLines } from '../parts/code-table.tsx'
import { Copy } from '../parts/copy.tsx'
import { formatBytes } from '../parts/figures.ts'
import { Rendered } from '../parts/rendered.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { CodeHead } from './code-head.tsx'
import { type FileBody, hidesOrder, readBody } from './file/file-text.ts'
import { FindField } from './file/find-field.tsx'
import { LineField, useLines } from './file/line-choice.tsx'
import { codePath, rawPath } from './paths.ts'
import { type CodePlace, toRef } from './place.ts'
import { OrMissing, Placed } from './placed.tsx'
import { type Content, readContent } from './tree/folder.ts'
import { FolderView } from './tree/folder-view.tsx'

export type FileProps = { readonly repository: Repository; readonly place: CodePlace }

export const BlobView = ({ params }: ViewProps) => (
  <Placed params={params}>{(repository, place) => <Blob repository={repository} place={place} />}</Placed>
)

export const useContent = ({ repository, place }: FileProps) =>
  useLoad(`content ${repository.full_name} ${toRef(place)} ${place.path}`, () =>
    readContent(repository.owner.login, repository.name, place.path, toRef(place)),
  )

function Blob(props: FileProps) {
  const { repository, place } = props
  useTitle(`${place.path} at ${place.ref}`)
  const content = useContent(props)
  return (
    <>
      <h1 class="hidden-text">
        {place.path} at {place.ref}
      </h1>
      <CodeHead repository={repository} place={place} page="blob" isFile />
      <OrMissing of={content} owner={repository.owner.login} repo={repository.name}>
        {(found) =>
          found.type === 'dir' ? (
            <FolderView {...props} folder={found} />
          ) : found.type === 'submodule' ? (
            <Submodule content={found} />
          ) : found.type === 'symlink' ? (
            <div class="card">
              <Empty title="A symbolic link">
                Points to <code>{found.target}</code>
              </Empty>
            </div>
          ) : (
            <File {...props} content={found} />
          )
        }
      </OrMissing>
    </>
  )
}

const Submodule = ({ content }: { content: Content }) => (
  <div class="card">
    <Empty title="A submodule">
      <p>
        Commit <code>{content.sha}</code>
        {content.submodule_git_url && (
          <>
            {' '}
            of <code>{content.submodule_git_url}</code>
          </>
        )}
      </p>
    </Empty>
  </div>
)

type ShownProps = FileProps & { readonly content: Content }

function File(props: ShownProps) {
  const { repository, place, content } = props
  const ref = toRef(place)
  const body = useLoad(`body ${repository.full_name} ${content.sha} ${content.path}`, () =>
    readBody(repository.owner.login, repository.name, content, ref),
  )
  const { query } = usePlace()
  const isMarkdown = /\.(?:md|markdown|mdown|mkdn?)$/i.test(content.path)
  const isRendered = isMarkdown && query.get('plain') === null
  const own = codePath(repository, 'blob', place.ref, place.path)
  return (
    <div class="card flush file">
      <FileBar {...props} page="blob" body={body.value}>
        {isMarkdown && (
          <Tabs
            label="View"
            tabs={[
              [own, 'Preview', isRendered],
              [`${own}?plain=1`, 'Code', !isRendered],
            ]}
          />
        )}
      </FileBar>
      {isRendered ? (
        <Preview {...props} />
      ) : (
        <div class={body.value ? undefined : 'diff-note'}>
          <Ready of={body}>{(found) => <Body {...props} body={found} />}</Ready>
        </div>
      )}
    </div>
  )
}

function Preview({ repository, place, content }: ShownProps) {
  const path = repositoryPath(repository.owner.login, repository.name, 'contents', content.path)
  const html = useLoad(`html ${repository.full_name} ${content.sha} ${content.path}`, () =>
    readText(path, 'application/vnd.github.html', { ref: toRef(place) }),
  )
  return (
    <div class="readme">
      <Ready of={html}>{(text) => <Rendered html={text} />}</Ready>
    </div>
  )
}

function Body({ repository, place, content, body }: ShownProps & { body: FileBody }) {
  const { lines, select } = useLines()
  const raw = rawPath(repository, place, content.path)
  switch (body.kind) {
    case 'empty':
      return <Empty title="This file is empty." />
    case 'picture':
      return (
        <p class="picture">
          <img src={body.address} alt={content.name} />
        </p>
      )
    case 'text':
      return (
        <>
          {hidesOrder(body.text) && <OrderNotice />}
          <CodeTable text={body.text} path={content.path} selected={lines} select={select} />
        </>
      )
    default:
      return (
        <Empty title={body.kind === 'binary' ? 'This file is binary.' : 'This file is too large to show.'}>
          <a href={raw} download>
            Download it ({formatBytes(content.size)})
          </a>
        </Empty>
      )
  }
}

export const OrderNotice = () => (
  <p class="notice bad file-notice">
    This file contains characters that change the direction of text. The code may not do what it appears to do.
  </p>
)

type BarProps = ShownProps & {
  readonly page: 'blob' | 'blame'
  readonly body: FileBody | undefined
  readonly children?: ComponentChildren
}

/** The head of a file: its figures and actions. */
export function FileBar({ repository, place, content, page, body, children }: BarProps) {
  const { account } = useSession()
  const { lines, select } = useLines()
  const { ref, path, kind } = place
  const text = body?.kind === 'text' ? body.text : undefined
  const mayEdit = account && kind === 'branch' && !repository.archived
  return (
    <div class="file-bar">
      {children}
      <span class="small soft nowrap">
        {text !== undefined && `${plural(splitLines(text).length, 'line')} · `}
        {formatBytes(content.size)}
      </span>
      <span class="row file-acts no-print">
        {text !== undefined && <FindField text={text} selected={lines} select={select} />}
        {text !== undefined && <LineField select={select} />}
        {text !== undefined && (
          <a class="button tight" href={codePath(repository, page === 'blame' ? 'blob' : 'blame', ref, path)}>
            {page === 'blame' ? 'Code' : 'Blame'}
          </a>
        )}
        <a class="button tight" href={codePath(repository, 'commits', ref, path)}>
          History
        </a>
        <a class="button tight" href={rawPath(repository, place, path)}>
          Raw
        </a>
        {text !== undefined && <Copy text={text} what="the file" />}
        {mayEdit && text !== undefined && (
          <a class="button tight" href={codePath(repository, 'edit', ref, path)}>
            Edit
          </a>
        )}
        {mayEdit && (
          <a class="button tight danger" href={codePath(repository, 'delete', ref, path)}>
            Delete
          </a>
        )}
      </span>
    </div>
  )
}

/** REST serves the raw bytes; the page only redirects there. */
export const RawView = ({ params }: ViewProps) => (
  <Placed params={params}>{(repository, place) => <Leave to={rawPath(repository, place, place.path)} />}</Placed>
)

function Leave({ to }: { to: string }) {
  useTitle('Raw')
  useEffect(() => location.replace(to), [to])
  return (
    <>
      <h1 class="hidden-text">Raw</h1>
      <p>
        <a href={to}>Open the raw file</a>
      </p>
    </>
  )
}
