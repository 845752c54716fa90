/** Routes of lists that are always empty, because this server has no gists. Accounts and repositories link to them. */
import type { People } from '../../../forge/people/people.ts'
import { anyone, type Door, readable } from '../doors.ts'
import { list } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'

const none = () => list({ total: 0, items: [] }, String)
const sayEmpty = (summary: string) => `${summary} There are none here: always an empty list.`

const ofUser = (people: People, word: string, id: string, summary: string): Route =>
  route(`GET /users/:username/${word}`, {
    id,
    summary: sayEmpty(summary),
    door: anyone,
    pageSize: usualPage,
    async handle({ params }) {
      await people.get(params.username)
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

export const emptyListRoutes = ({ people }: { people: People }): readonly Route[] => [
  ofUser(people, 'gists', 'list-gists-for-a-user', 'Gists of a user.'),
  ofRepository('downloads', 'list-downloads', 'Downloads, which were replaced by releases.', 'contents=read'),
]
