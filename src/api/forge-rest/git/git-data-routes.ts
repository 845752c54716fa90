/** Read routes of git objects: refs, commits, trees, blobs, tags. */

import type { OpenRepository } from '../../../forge/access/repository.ts'
import { invalidField, notFound } from '../../../forge/failures.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import { demandHistory } from '../../../forge/git/read/git-reading.ts'
import { isObjectId, isRefPart } from '../../../forge/git/ref-name.ts'
import type { Serving } from '../../../forge/git/serve/serving.ts'
import type { Verifications } from '../../../forge/keys/signing/verifications.ts'
import type { TestMerging } from '../../../forge/pulls/merging/test-merging.ts'
import { readable } from '../doors.ts'
import { slice } from '../outcomes.ts'
import { list, ok } from '../rest-answer.ts'
import { type ForgeCall, type Route, route, usualPage } from '../route.ts'
import { maxHeldBytes, sendFile, sendLargeBlob } from './large-files.ts'
import { presentBlob, presentGitCommit, presentGitTag, presentRef, presentTree, wrapBase64 } from './present-git.ts'

const read = { door: readable, permission: 'contents=read' } as const

/** All refs except test merges, which change without a push; those are found only by name. */
const listLasting = async (reading: GitReading, repository: OpenRepository) =>
  (await reading.refs(repository, '')).filter(({ name }) => !/^refs\/pull\/\d+\/merge$/.test(name))

async function listRefs(reading: GitReading, { target, page, view }: ForgeCall<OpenRepository>, prefix: string) {
  const all = await listLasting(reading, target)
  const refs = all.filter(({ name }) => name.startsWith(prefix))
  return list(slice(refs, page), (ref) => presentRef(target, ref, view))
}

type Needs = {
  reading: GitReading
  serving: Serving
  testMerging: TestMerging
  verifications: Verifications
}

const gitRoutes = ({ reading, serving, testMerging, verifications }: Needs): readonly Route[] => [
  route('GET /repos/:owner/:repo/git/ref/*', {
    ...read,
    id: 'get-a-reference',
    summary: 'A ref by its exact name (`heads/main`).',
    async handle({ target, params, view }) {
      const name = `refs/${params['*']}`
      // The server creates test merges without a push, but only a push invalidates cached refs.
      const [, tested] = /^refs\/pull\/(\d{1,15})\/merge$/.exec(name) ?? []
      if (tested !== undefined) {
        const sha = await testMerging.find(target, Number(tested))
        if (!sha) throw notFound()
        return ok(presentRef(target, { name, sha, type: 'commit' }, view))
      }
      const ref = isRefPart(name) ? (await reading.refs(target, name)).find((each) => each.name === name) : undefined
      if (!ref) throw notFound()
      return ok(presentRef(target, ref, view))
    },
  }),
  route('GET /repos/:owner/:repo/git/matching-refs/*', {
    ...read,
    id: 'list-matching-references',
    summary: 'Lists the refs whose names start with this.',
    pageSize: usualPage,
    handle: (call) => listRefs(reading, call, `refs/${call.params['*']}`),
  }),
  route('GET /repos/:owner/:repo/git/refs', {
    ...read,
    id: 'list-references',
    summary: 'Every ref.',
    pageSize: usualPage,
    handle: (call) => listRefs(reading, call, 'refs/'),
  }),
  route('GET /repos/:owner/:repo/git/refs/*', {
    ...read,
    id: 'get-a-reference-or-those-below',
    summary: 'A ref by its exact name, or all refs whose names start with it.',
    pageSize: usualPage,
    async handle(call) {
      const { target, params, view } = call
      const name = `refs/${params['*']}`
      const refs = await listLasting(reading, target)
      const exact = refs.find((each) => each.name === name)
      if (exact) return ok(presentRef(target, exact, view))
      if (!refs.some((each) => each.name.startsWith(name))) throw notFound()
      return listRefs(reading, call, name)
    },
  }),
  route('GET /repos/:owner/:repo/git/commits/:commit_sha', {
    ...read,
    id: 'get-a-commit-object',
    summary: 'A commit as git has it.',
    async handle({ target, params, view }) {
      if (!isObjectId(params.commit_sha)) throw notFound()
      const commit = await reading.commit(target, params.commit_sha)
      const verified = await verifications.verify([{ ...commit, by: commit.committer }])
      return ok(presentGitCommit(target, commit, verified, view))
    },
  }),
  route('GET /repos/:owner/:repo/git/trees/:tree_sha', {
    ...read,
    id: 'get-a-tree',
    summary: 'A tree, by its own name or that of a commit, a branch or a tag; `recursive` for all below.',
    async handle({ target, params, query, view }) {
      const name = params.tree_sha
      const treeish = isObjectId(name) ? name : await reading.demandCommit(target, name)
      const head = await reading.head(target, `${treeish}^{tree}`)
      if (!head) throw notFound()
      const isRecursive = query.text('recursive') !== undefined
      return ok(presentTree(target, head.sha, await reading.readTree(target, head.sha, isRecursive), view))
    },
  }),
  route('GET /repos/:owner/:repo/git/blobs/:file_sha', {
    ...read,
    id: 'get-a-blob',
    summary: 'A file’s bytes, base64 in JSON, or as they are with the media type `…raw`.',
    async handle(call) {
      const { target, params, accept, view } = call
      const sha = params.file_sha
      if (!isObjectId(sha)) throw invalidField('sha', 'invalid', 'The sha parameter must be exactly 40 characters.')
      const file = await reading.head(target, sha)
      if (file?.type !== 'blob') throw notFound()
      if (/\.raw\b/.test(accept)) return sendFile({ reading, serving }, call, file)
      if (file.size > maxHeldBytes) return sendLargeBlob(serving, call, file)
      const content = wrapBase64(await reading.blob(target, sha))
      return ok(presentBlob(target, { ...file, content }, view))
    },
  }),
  route('GET /repos/:owner/:repo/git/tags/:tag_sha', {
    ...read,
    id: 'get-a-tag',
    summary: 'An annotated tag.',
    async handle({ target, params, view }) {
      const tag = await reading.tag(target, params.tag_sha)
      return ok(presentGitTag(target, tag, await verifications.verify([{ ...tag, by: tag.tagger }]), view))
    },
  }),
]

export const gitDataRoutes = (needs: Needs): readonly Route[] =>
  gitRoutes(needs).map((each) => ({
    ...each,
    handle(call) {
      demandHistory(call.target as OpenRepository)
      return each.handle(call)
    },
  }))
