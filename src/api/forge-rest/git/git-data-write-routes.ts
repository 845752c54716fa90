/** Git objects and refs created over REST. An object without a ref pushes nothing; moving a ref is a push. */

import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import { demandHistory } from '../../../forge/git/read/git-reading.ts'
import type { CodeWriting } from '../../../forge/git/write/code-writing.ts'
import type { Verifications } from '../../../forge/keys/signing/verifications.ts'
import { changed, pushed } from '../doors.ts'
import { created, noContent, ok } from '../rest-answer.ts'
import { type Route, route } from '../route.ts'
import { Flag, List, OneOf, Optional, Shape, Text, Type } from '../schemas.ts'
import { placesOf, presentGitCommit, presentGitTag, presentRef, presentTree } from './present-git.ts'
import { FileText, Message, maxFileBodyBytes, readBase64, readSignature, Sha, SignatureBody } from './write-bodies.ts'

/** The needs of moving a branch that the caller may push to. */
const push = { door: pushed, permission: 'contents=write' } as const
const write = { door: changed('write'), permission: 'contents=write' } as const

const maxEntries = 10_000

const TreeEntryBody = Shape({
  path: Text(4096, 1),
  mode: OneOf('100644', '100755', '040000', '160000', '120000'),
  type: Optional(OneOf('blob', 'tree', 'commit')),
  sha: Optional(Type.Union([Sha, Type.Null()])),
  content: Optional(FileText),
})

type Needs = { code: CodeWriting; reading: GitReading; verifications: Verifications }

const objectRoutes = ({ code, reading, verifications }: Needs): readonly Route[] => [
  route('POST /repos/:owner/:repo/git/blobs', {
    ...push,
    id: 'create-a-blob',
    summary: 'Creates a blob from text, or from bytes in base64.',
    resource: 'Blob',
    maxBodyBytes: maxFileBodyBytes,
    body: Shape({ content: FileText, encoding: Optional(OneOf('utf-8', 'base64')) }),
    async handle({ target, body: { content, encoding = 'utf-8' }, view }) {
      demandHistory(target.repository)
      const bytes = encoding === 'base64' ? await readBase64('content', content) : Buffer.from(content)
      const sha = await code.objects.blob(target, bytes)
      const url = `${placesOf(target.repository, view).url}/git/blobs/${sha}`
      return created({ sha, url }, url)
    },
  }),
  route('POST /repos/:owner/:repo/git/trees', {
    ...push,
    id: 'create-a-tree',
    summary:
      'Makes a tree of entries, on top of `base_tree` where it is given: each with the `sha` of what is there, with `content` for a new file, or with `sha` null to remove what is at the path.',
    resource: 'Tree',
    maxBodyBytes: maxFileBodyBytes,
    body: Shape({
      tree: List(TreeEntryBody, { minItems: 1, maxItems: maxEntries }),
      base_tree: Optional(Sha),
    }),
    async handle({ target, body, view }) {
      const { repository } = target
      demandHistory(repository)
      const entries = body.tree.map(({ path, mode, sha, content }) => ({
        path,
        mode,
        sha,
        content: content === undefined || sha != null ? undefined : Buffer.from(content),
      }))
      const sha = await code.objects.tree(target, body.base_tree, entries)
      const shown = presentTree(repository, sha, await reading.readTree(repository, sha, false), view)
      return created(shown, shown.url)
    },
  }),
  route('POST /repos/:owner/:repo/git/commits', {
    ...push,
    id: 'create-a-commit',
    summary: 'Creates a commit from a tree and its parents.',
    resource: 'Commit',
    body: Shape({
      message: Message,
      tree: Sha,
      parents: Optional(List(Sha, { maxItems: 100 })),
      author: Optional(SignatureBody),
      committer: Optional(SignatureBody),
      signature: Optional(Text(65_536)),
    }),
    async handle({ target, body, view }) {
      demandHistory(target.repository)
      const commit = await code.objects.commit(target, {
        message: body.message,
        tree: body.tree,
        parents: body.parents ?? [],
        author: readSignature('author', body.author),
        committer: readSignature('committer', body.committer),
        signature: body.signature,
      })
      const verified = await verifications.verify([{ ...commit, by: commit.committer }])
      const shown = presentGitCommit(target.repository, commit, verified, view)
      return created(shown, shown.url)
    },
  }),
  route('POST /repos/:owner/:repo/git/tags', {
    ...write,
    id: 'create-a-tag-object',
    summary: 'Creates an annotated tag. To find it by name, create a ref of that name.',
    resource: 'Tag',
    body: Shape({
      tag: Text(255, 1),
      message: Message,
      object: Sha,
      type: OneOf('commit', 'tree', 'blob'),
      tagger: Optional(SignatureBody),
    }),
    async handle({ target, body: { tag: name, message, object, type, tagger }, view }) {
      demandHistory(target.repository)
      const draft = { name, message, object, type, tagger: readSignature('tagger', tagger) }
      const made = await code.objects.tag(target, draft)
      const verified = await verifications.verify([{ ...made, by: made.tagger }])
      const shown = presentGitTag(target.repository, made, verified, view)
      return created(shown, shown.url)
    },
  }),
]

const refRoutes = ({ code }: { code: CodeWriting }): readonly Route[] => [
  route('POST /repos/:owner/:repo/git/refs', {
    ...write,
    id: 'create-a-reference',
    summary: 'Creates a ref by its full name (`refs/heads/name`).',
    resource: 'Reference',
    body: Shape({ ref: Text(300, 1), sha: Sha }),
    async handle({ target, body: { ref, sha }, view }) {
      demandHistory(target.repository)
      const shown = presentRef(target.repository, await code.refs.create(target, ref, sha), view)
      return created(shown, shown.url)
    },
  }),
  route('PATCH /repos/:owner/:repo/git/refs/*', {
    ...push,
    id: 'update-a-reference',
    summary: 'Moves a ref forward, or anywhere with `force`.',
    resource: 'Reference',
    body: Shape({ sha: Sha, force: Optional(Flag) }),
    async handle({ target, params, body: { sha, force = false }, view }) {
      const ref = await code.refs.update(target, `refs/${params['*']}`, sha, force)
      return ok(presentRef(target.repository, ref, view))
    },
  }),
  route('DELETE /repos/:owner/:repo/git/refs/*', {
    ...write,
    id: 'delete-a-reference',
    summary: 'Deletes a ref.',
    resource: 'Reference',
    async handle({ target, params }) {
      await code.refs.remove(target, `refs/${params['*']}`)
      return noContent()
    },
  }),
]

export const gitDataWriteRoutes = (needs: Needs): readonly Route[] => [...objectRoutes(needs), ...refRoutes(needs)]
