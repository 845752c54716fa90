/** Routes of releases. Users who may write create them from tags. */
import type { Repository } from '../../../forge/access/repository.ts'
import type { Reactions } from '../../../forge/issues/reactions/reactions.ts'
import { listNotedChanges } from '../../../forge/releases/noted-changes.ts'
import type { NotesMaking, NotesRequest } from '../../../forge/releases/release-notes.ts'
import type { Releases } from '../../../forge/releases/releases.ts'
import { changed, readable } from '../doors.ts'
import { encodePath, placesOf } from '../git/present-git.ts'
import { maxTextLength } from '../issues/issue-body.ts'
import { makeReactionRoutes } from '../issues/reaction-routes.ts'
import { done } from '../outcomes.ts'
import { readId } from '../query.ts'
import { created, list, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Flag, NullableText, OneOf, Optional, Shape, Text } from '../schemas.ts'
import type { View } from '../view.ts'
import { presentRelease } from './present-release.ts'

const read = { door: readable, permission: 'contents=read' } as const
const write = { door: changed('write'), permission: 'contents=write', resource: 'Release' } as const

const common = {
  target_commitish: Optional(Text(255)),
  name: Optional(NullableText(1024)),
  body: Optional(NullableText(maxTextLength)),
  draft: Optional(Flag),
  prerelease: Optional(Flag),
  make_latest: Optional(OneOf('true', 'false', 'legacy')),
}

type Given = {
  readonly target_commitish?: string
  readonly name?: string | null
  readonly body?: string | null
  readonly draft?: boolean
  readonly prerelease?: boolean
  readonly make_latest?: 'true' | 'false' | 'legacy'
}

const readDraft = (given: Given) => ({
  // Published clients send an empty one for the default branch.
  target: given.target_commitish || undefined,
  name: given.name,
  body: given.body,
  isDraft: given.draft,
  isPrerelease: given.prerelease,
  latest: given.make_latest,
})

async function writeNotes(
  { releaseNotes, releases }: { releaseNotes: NotesMaking; releases: Releases },
  repository: Repository,
  request: NotesRequest,
  view: View,
): Promise<string> {
  const latest = await releases.getLatest(repository).catch(() => undefined)
  const { commits, previousTag: since } = await releaseNotes.list(repository, request, latest?.tag)
  const { html } = placesOf(repository, view)
  const tag = encodePath(request.tag)
  const lines = listNotedChanges(commits).map(({ commit, title, pull }) =>
    pull === undefined ? `* ${title} (${commit.sha.slice(0, 7)})` : `* ${title} ([#${pull}](${html}/pull/${pull}))`,
  )
  const whole = since ? `${html}/compare/${encodePath(since)}...${tag}` : `${html}/commits/${tag}`
  return `## What's Changed\n${lines.join('\n')}\n\n**Full Changelog**: ${whole}`
}

type Needs = {
  releaseNotes: NotesMaking
  releases: Releases
}

export const releaseRoutes = ({ releaseNotes, releases }: Needs): readonly Route[] => [
  route('GET /repos/:owner/:repo/releases', {
    ...read,
    id: 'list-releases',
    summary: 'Lists releases, newest first; drafts only for people with write access.',
    pageSize: usualPage,
    async handle({ target, page, view }) {
      return list(await releases.list(target, page), (release) => presentRelease(target, release, view))
    },
  }),
  route('POST /repos/:owner/:repo/releases', {
    ...write,
    id: 'create-a-release',
    summary: 'Makes a release, and its tag of `target_commitish` where it is not there yet, unless it is a draft.',
    createsContent: true,
    body: Shape({ tag_name: Text(255, 1), ...common, generate_release_notes: Optional(Flag) }),
    async handle({ target, body, view }) {
      const draft = { tag: body.tag_name, ...readDraft(body) }
      const notes = body.generate_release_notes
        ? await writeNotes({ releaseNotes, releases }, target.repository, { ...draft, previousTag: undefined }, view)
        : undefined
      const written = notes === undefined ? {} : { body: draft.body ? `${draft.body}\n\n${notes}` : notes }
      const release = await releases.create(target, { ...draft, ...written })
      const shown = presentRelease(target.repository, release, view)
      return created(shown, shown.url)
    },
  }),
  route('GET /repos/:owner/:repo/releases/latest', {
    ...read,
    id: 'get-the-latest-release',
    summary: 'The latest release that is neither a draft nor a prerelease.',
    async handle({ target, view }) {
      return ok(presentRelease(target, await releases.getLatest(target), view))
    },
  }),
  route('GET /repos/:owner/:repo/releases/tags/*', {
    ...read,
    id: 'get-a-release-by-tag-name',
    summary: 'The release of a tag.',
    async handle({ target, params, view }) {
      return ok(presentRelease(target, await releases.getByTag(target, params['*']), view))
    },
  }),
  route('GET /repos/:owner/:repo/releases/:release_id', {
    ...read,
    id: 'get-a-release',
    summary: 'Shows a release; a draft only to people with write access.',
    async handle({ target, params, view }) {
      return ok(presentRelease(target, await releases.get(target, readId(params.release_id)), view))
    },
  }),
  route('PATCH /repos/:owner/:repo/releases/:release_id', {
    ...write,
    id: 'update-a-release',
    summary: 'Changes a release; a draft is published by `draft: false`.',
    body: Shape({ tag_name: Optional(Text(255, 1)), ...common }),
    async handle({ target, params, body, view }) {
      const change = { ...(body.tag_name !== undefined && { tag: body.tag_name }), ...readDraft(body) }
      const release = await releases.update(target, readId(params.release_id), change)
      return ok(presentRelease(target.repository, release, view))
    },
  }),
  route('DELETE /repos/:owner/:repo/releases/:release_id', {
    ...write,
    id: 'delete-a-release',
    summary: 'Deletes a release with its files; its tag stays.',
    handle: ({ target, params }) => done(releases.remove(target, readId(params.release_id))),
  }),
  route('POST /repos/:owner/:repo/releases/generate-notes', {
    ...write,
    id: 'generate-release-notes-content-for-a-release',
    summary:
      'Notes for a release: the commits since the one before it, 250 at most, and merged pulls in place of theirs. Nothing is kept.',
    body: Shape({
      tag_name: Text(255, 1),
      target_commitish: Optional(Text(255)),
      previous_tag_name: Optional(Text(255, 1)),
      configuration_file_path: Optional(Text(1024)),
    }),
    async handle({ target: { repository }, body, view }) {
      const { tag_name: tag, previous_tag_name: previousTag } = body
      const target = body.target_commitish || undefined
      return ok({
        name: tag,
        body: await writeNotes({ releaseNotes, releases }, repository, { tag, target, previousTag }, view),
      })
    },
  }),
]

export const releaseReactionRoutes = ({ reactions, releases }: { reactions: Reactions; releases: Releases }) =>
  makeReactionRoutes(reactions, {
    path: 'releases/:release_id',
    word: 'a-release',
    what: 'a release',
    permission: { read: 'contents=read', write: 'contents=write' },
    contents: ['+1', 'laugh', 'heart', 'hooray', 'rocket', 'eyes'],
    find: (_actor, repository, { release_id }) => releases.subject(repository, readId(release_id)),
  })
