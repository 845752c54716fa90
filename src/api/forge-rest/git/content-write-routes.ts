/** Creates, changes and deletes files by path: each change is a commit on a branch, and a push like any other. */
import type { PushAccess } from '../../../forge/access/opening.ts'
import { notFound } from '../../../forge/failures.ts'
import type { CodeWriting } from '../../../forge/git/write/code-writing.ts'
import type { ChangedFile } from '../../../forge/git/write/file-writing.ts'
import { pushed } from '../doors.ts'
import type { RestAnswer } from '../rest-answer.ts'
import { type ForgeCall, type Route, route } from '../route.ts'
import { Optional, Shape, Text } from '../schemas.ts'
import { presentContent, presentGitCommit } from './present-git.ts'
import {
  FileText,
  Message,
  maxFileBodyBytes,
  PartialSignatureBody,
  readBase64,
  readSignature,
  Sha,
} from './write-bodies.ts'

const write = { door: pushed, permission: 'contents=write', resource: 'Commit' } as const

type WriteCall = ForgeCall<PushAccess>

function presentChange({ target, view }: WriteCall, path: string, size: number, changedFile: ChangedFile): RestAnswer {
  const { commit, branch, sha, isNew } = changedFile
  const { repository } = target
  const content = sha === undefined ? null : presentContent(repository, { path, sha, type: 'file', size }, branch, view)
  const status = isNew && sha !== undefined ? 201 : 200
  return { status, body: { content, commit: presentGitCommit(repository, commit, new Map(), view) } }
}

const trimSlash = (path: string): string => path.replace(/^\//, '')

export const contentWriteRoutes = ({ code }: { code: CodeWriting }): readonly Route[] => [
  route('PUT /repos/:owner/:repo/contents/*', {
    ...write,
    id: 'create-or-update-file-contents',
    summary:
      'Makes a file, or changes the one whose `sha` is given, by a commit on a branch: 201 or 200; 409 where it is another by now, or the branch is protected.',
    maxBodyBytes: maxFileBodyBytes,
    body: Shape({
      message: Message,
      content: FileText,
      sha: Optional(Sha),
      branch: Optional(Text(255)),
      committer: Optional(PartialSignatureBody),
      author: Optional(PartialSignatureBody),
    }),
    async handle(call) {
      const { target, params, body } = call
      const path = trimSlash(params['*'])
      const bytes = await readBase64('content', body.content)
      const { message, sha, branch } = body
      const author = readSignature('author', body.author)
      const committer = readSignature('committer', body.committer)
      const draft = { path, message, sha, branch, author, committer }
      return presentChange(call, path, bytes.length, await code.files.put(target, draft, bytes))
    },
  }),
  route('DELETE /repos/:owner/:repo/contents/*', {
    ...write,
    id: 'delete-a-file',
    summary: 'Deletes the file whose `sha` is given, by a commit on a branch.',
    // Some clients send these in the query instead.
    body: Shape({
      message: Optional(Message),
      sha: Optional(Sha),
      branch: Optional(Text(255)),
      committer: Optional(PartialSignatureBody),
      author: Optional(PartialSignatureBody),
    }),
    async handle(call) {
      const { target, params, body, query } = call
      const path = trimSlash(params['*'])
      if (path === '') throw notFound()
      const draft = {
        path,
        message: body.message ?? query.text('message') ?? `Delete ${path}`,
        sha: body.sha ?? query.text('sha'),
        branch: body.branch ?? query.text('branch'),
        author: readSignature('author', body.author),
        committer: readSignature('committer', body.committer),
      }
      return presentChange(call, path, 0, await code.files.remove(target, draft))
    },
  }),
]
