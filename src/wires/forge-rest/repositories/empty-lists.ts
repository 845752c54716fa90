/** What accounts and repositories link to and this server has none of: stars, forks, gists, hooks. The lists are empty. */
import { list } from '../answer.ts'
import { anyone, type Door, type Route, repository, route, usualPage } from '../route.ts'

const empty = (path: `/${string}`, id: string, summary: string, door: Door<unknown>, permission?: string): Route =>
  route(`GET ${path}`, {
    id,
    summary: `${summary} There are none here: always an empty list.`,
    door,
    pageSize: usualPage,
    ...(permission && { permission }),
    async handle({ forge, params }) {
      if (params.username !== undefined) await forge.people.get(params.username)
      return list({ total: 0, items: [] }, String)
    },
  })

const reading = repository('read') as Door<unknown>
const administering = repository('admin') as Door<unknown>

export const emptyListRoutes: readonly Route[] = [
  empty('/users/:username/followers', 'list-followers-of-a-user', 'Who follows a user.', anyone),
  empty('/users/:username/following', 'list-the-people-a-user-follows', 'Whom a user follows.', anyone),
  empty('/users/:username/gists', 'list-gists-for-a-user', 'Gists of a user.', anyone),
  empty('/users/:username/starred', 'list-repositories-starred-by-a-user', 'What a user has starred.', anyone),
  empty('/users/:username/received_events', 'list-events-received-by-a-user', 'Events that a user received.', anyone),
  empty('/users/:username/events', 'list-events-for-a-user', 'Events of a user.', anyone),
  empty('/repos/:owner/:repo/forks', 'list-forks', 'Forks.', reading, 'metadata=read'),
  empty('/repos/:owner/:repo/stargazers', 'list-stargazers', 'Who has starred it.', reading, 'metadata=read'),
  empty('/repos/:owner/:repo/events', 'list-repository-events', 'Events of the repository.', reading, 'metadata=read'),
  empty('/repos/:owner/:repo/deployments', 'list-deployments', 'Deployments.', reading, 'deployments=read'),
  empty(
    '/repos/:owner/:repo/downloads',
    'list-downloads',
    'Downloads, which releases took the place of.',
    reading,
    'contents=read',
  ),
  empty('/repos/:owner/:repo/statuses/:ref', 'list-commit-statuses', 'Statuses of a commit.', reading, 'statuses=read'),
  empty('/repos/:owner/:repo/keys', 'list-deploy-keys', 'Deploy keys.', administering, 'administration=read'),
  empty('/repos/:owner/:repo/hooks', 'list-repository-webhooks', 'Hooks.', administering, 'repository_hooks=read'),
]
