/** Routes that read and write the pages of a wiki, which is a git repository at `/{owner}/{repo}.wiki.git`. */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { Commit } from '../../../forge/git/read/commit.ts'
import type { WikiPage, WikiPages } from '../../../forge/git/read/wiki-pages.ts'
import type { WikiWriting } from '../../../forge/git/write/wiki-writing.ts'
import type { Renderer } from '../../../forge/markup/renderer.ts'
import type { People } from '../../../forge/people/people.ts'
import { changed, readable } from '../doors.ts'
import { maxTextLength } from '../issues/issue-body.ts'
import { done } from '../outcomes.ts'
import { presentUser } from '../people/present-people.ts'
import { ok, rawFile } from '../rest-answer.ts'
import { type Route, route } from '../route.ts'
import { Optional, Shape, Text } from '../schemas.ts'
import { formatTime, type View } from '../view.ts'
import { encodePath } from './present-git.ts'
import { forBrowsers } from './raw-for-browsers.ts'
import { Message, Sha } from './write-bodies.ts'

const read = { door: readable, permission: 'contents=read' } as const

const write = { door: changed('write'), permission: 'contents=write', resource: 'WikiPage' } as const

type Needs = { people: People; renderer: Renderer; wikiPages: WikiPages; wikiWriting: WikiWriting }

const fullName = ({ owner, name }: OpenRepository): string => `${owner.login}/${name}`

const presentPage = (repository: OpenRepository, { name, path, sha, size }: WikiPage, view: View) => ({
  ...{ name, path, sha, size },
  title: name.slice(name.lastIndexOf('/') + 1).replace(/-/g, ' '),
  url: `${view.base}/repos/${fullName(repository)}/wiki/pages/${encodePath(name)}`,
  html_url: `${view.origin}/${fullName(repository)}/wiki/${encodePath(name)}`,
})

const documentOf = (repository: OpenRepository, { path }: WikiPage) => ({
  folder: encodePath(path.slice(0, path.lastIndexOf('/') + 1)),
  pages: `/${fullName(repository)}/wiki/`,
  files: `/repos/${fullName(repository)}/wiki/raw/`,
  filesQuery: '',
  isWiki: true,
})

async function presentRevisions(people: People, commits: readonly Commit[], view: View) {
  const known = await people.findByEmails(commits.map(({ author }) => author.email))
  return commits.map(({ sha, message, author }) => {
    const user = known.get(author.email.toLowerCase())
    const by = { name: author.name, date: formatTime(author.date) }
    return { sha, message, author: by, user: user ? presentUser(user, view) : null }
  })
}

export const wikiRoutes = ({ people, renderer, wikiPages, wikiWriting }: Needs): readonly Route[] => [
  route('GET /repos/:owner/:repo/wiki/pages', {
    ...read,
    id: 'list-wiki-pages',
    summary: 'Lists the pages of the wiki: its Markdown files.',
    async handle({ target, view }) {
      const pages = await wikiPages.list(target)
      return ok(pages.map((page) => presentPage(target, page, view)))
    },
  }),
  route('GET /repos/:owner/:repo/wiki/pages/*', {
    ...read,
    id: 'get-a-wiki-page',
    summary: 'A page of the wiki as text and as HTML; `version` is the commit of an older one.',
    async handle({ target, params, query, caller, view }) {
      const page = await wikiPages.read(target, params['*'], query.text('version'))
      const place = { origin: view.origin, repository: fullName(target), document: documentOf(target, page) }
      const [rendered] = await renderer.render(caller.key, [page.text], ['html'], place)
      return ok({ ...presentPage(target, page, view), text: page.text, html: rendered!.html })
    },
  }),
  route('PUT /repos/:owner/:repo/wiki/pages/*', {
    ...write,
    id: 'create-or-update-a-wiki-page',
    summary:
      'Makes a page of the wiki, or changes the one whose `sha` is given, by a commit: 201 or 200; 409 where it has changed meanwhile. `name` renames it.',
    body: Shape({
      text: Text(maxTextLength),
      sha: Optional(Sha),
      name: Optional(Text(1_000)),
      message: Optional(Message),
    }),
    async handle({ target, params, body, view }) {
      const { text, sha, name, message } = body
      const page = await wikiWriting.put(target, params['*'], { text, sha, newName: name, message })
      return { status: sha === undefined ? 201 : 200, body: presentPage(target.repository, page, view) }
    },
  }),
  route('DELETE /repos/:owner/:repo/wiki/pages/*', {
    ...write,
    id: 'delete-a-wiki-page',
    summary: 'Deletes the page of the wiki whose `sha` is given, by a commit.',
    body: Shape({ sha: Optional(Sha), message: Optional(Message) }),
    handle: ({ target, params, body, query }) =>
      done(wikiWriting.remove(target, params['*'], body.sha ?? query.text('sha'), body.message)),
  }),
  route('GET /repos/:owner/:repo/wiki/history/*', {
    ...read,
    id: 'list-revisions-of-a-wiki-page',
    summary: 'The newest 100 commits that changed a page of the wiki.',
    async handle({ target, params, view }) {
      return ok(await presentRevisions(people, await wikiPages.history(target, params['*']), view))
    },
  }),
  route('GET /repos/:owner/:repo/wiki/raw/*', {
    ...read,
    id: 'get-a-raw-wiki-file',
    summary: 'The raw bytes of a file of the wiki, such as a picture, of up to 10 MiB.',
    async handle({ target, params, accept }) {
      const path = params['*']
      return forBrowsers(rawFile(await wikiPages.file(target, path)), path, accept)
    },
  }),
]
