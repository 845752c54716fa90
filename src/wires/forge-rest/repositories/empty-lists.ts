/** What accounts and repositories link to and this server has none of: gists, deployments, keys. The lists are empty. */
import { list } from '../answer.ts'
import { anyone, type Door, readable, seen } from '../doors.ts'
import { type Route, route, usualPage } from '../route.ts'

const none = () => list({ total: 0, items: [] }, String)
const sayEmpty = (summary: string) => `${summary} There are none here: always an empty list.`

const ofUser = (word: string, id: string, summary: string): Route =>
  route(`GET /users/:username/${word}`, {
    id,
    summary: sayEmpty(summary),
    door: anyone,
    pageSize: usualPage,
    async handle({ forge, params }) {
      await forge.people.get(params.username)
      return none()
    },
  })

const ofRepository = (
  word: string,
  id: string,
  summary: string,
  permission: string,
  door: Door<unknown> = readable,
): Route =>
  route(`GET /repos/:owner/:repo/${word}`, {
    id,
    summary: sayEmpty(summary),
    door,
    permission,
    pageSize: usualPage,
    handle: none,
  })

export const emptyListRoutes: readonly Route[] = [
  ofUser('gists', 'list-gists-for-a-user', 'Gists of a user.'),
  ofRepository('deployments', 'list-deployments', 'Deployments.', 'deployments=read'),
  ofRepository('downloads', 'list-downloads', 'Downloads, which releases took the place of.', 'contents=read'),
  ofRepository('keys', 'list-deploy-keys', 'Deploy keys.', 'administration=read', seen('admin')),
]
