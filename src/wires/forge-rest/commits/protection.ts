/** Protection of branches, for admins of the repository. */
import type { Access } from '../../../forge/access/opening.ts'
import type { Repository } from '../../../forge/access/repository.ts'
import { type BranchRules, contextsOf } from '../../../forge/commits/branch-rules.ts'
import { invalidField, notFound } from '../../../forge/failures.ts'
import type { Forge } from '../../../forge/forge.ts'
import type { Person } from '../../../forge/person.ts'
import { type Answer, noContent, ok } from '../answer.ts'
import { changed, seen } from '../doors.ts'
import { type Call, type Route, route } from '../route.ts'
import { List, Shape, Text, Type } from '../schemas.ts'
import type { View } from '../view.ts'
import {
  type Protected,
  presentEnforcement,
  presentProtectedBranch,
  presentRestrictions,
  presentReviewRules,
  presentStatusChecks,
} from './present-protection.ts'
import {
  ProtectionBody,
  ReviewsBody,
  readReviews,
  readRules,
  readStatusChecks,
  StatusChecksBody,
} from './protection-bodies.ts'

const looks = { door: seen('admin'), permission: 'administration=read' } as const
const changes = { door: changed('admin'), permission: 'administration=write', resource: 'ProtectedBranch' } as const
const place = '/repos/:owner/:repo/branches/:branch/protection' as const

type Named = { readonly branch: string }
type Given = { forge: Forge; target: { readonly repository: Repository }; params: Named; view: View }

async function describe({ forge, target: { repository }, params: { branch } }: Given, rules: BranchRules) {
  const users = await Promise.all((rules.restrictions?.users ?? []).map((id) => forge.people.getById(id)))
  const teams = await forge.teams.listByIds(repository.owner, rules.restrictions?.teams ?? [])
  const apps = await forge.apps.listByIds(rules.restrictions?.apps ?? [])
  return { repository, branch, rules, users, teams, apps } satisfies Protected
}

/** A part that is not set is not there. */
const show =
  (present: (found: Protected, view: View) => unknown, isSet: (rules: BranchRules) => unknown = () => true) =>
  async (call: Given): Promise<Answer> => {
    const rules = await call.forge.protection.get(call.target.repository, call.params.branch)
    if (!isSet(rules)) throw notFound()
    return ok(present(await describe(call, rules), call.view))
  }

type ChangeCall = Call<Access<'admin'>, unknown, Named>

async function change(
  call: ChangeCall,
  edit: (rules: BranchRules) => BranchRules,
  present?: (found: Protected, view: View) => unknown,
): Promise<Answer> {
  const rules = await call.forge.protection.change(call.target, call.params.branch, edit)
  return present ? ok(present(await describe(call, rules), call.view)) : noContent()
}

/** Those who may push; only who reads the repository can. */
async function findUsers(forge: Forge, logins: readonly string[]): Promise<Person[]> {
  const found = await Promise.all(logins.map((login) => forge.people.find(login)))
  const unknown = logins.find((_, i) => found[i]?.kind !== 'user')
  if (unknown !== undefined) throw invalidField('restrictions.users', 'invalid', `There is no user ${unknown}.`)
  return found.filter((user) => user !== undefined)
}

/** Teams of the organisation that owns the repository, by their slugs. */
async function findTeams(forge: Forge, { owner }: Repository, slugs: readonly string[]): Promise<number[]> {
  const found = await forge.teams.findBySlugs(owner, slugs)
  const unknown = slugs.find((_, i) => !found[i])
  if (unknown !== undefined) throw invalidField('restrictions.teams', 'invalid', `There is no team ${unknown}.`)
  return found.flatMap((team) => team?.id ?? [])
}

/** Apps that one may see, by their slugs. */
async function findApps(forge: Forge, { actor }: Access<'admin'>, slugs: readonly string[]): Promise<number[]> {
  return Promise.all(
    slugs.map(async (slug) => {
      const app = await forge.apps.get(actor, slug).catch(() => undefined)
      if (!app) throw invalidField('restrictions.apps', 'invalid', `There is no app ${slug}.`)
      return app.id
    }),
  )
}

const finders = {
  users: async (forge: Forge, _access: Access<'admin'>, names: readonly string[]) =>
    (await findUsers(forge, names)).map(({ id }) => id),
  teams: (forge: Forge, { repository }: Access<'admin'>, names: readonly string[]) =>
    findTeams(forge, repository, names),
  apps: findApps,
}

const changeNames = (
  method: 'POST' | 'PUT' | 'DELETE',
  known: readonly number[],
  sent: readonly number[],
): number[] => {
  if (method === 'PUT') return [...new Set(sent)]
  return method === 'POST' ? [...new Set([...known, ...sent])] : known.filter((id) => !sent.includes(id))
}

const maxNamed = 100

const restrictionRoute = (
  kind: 'users' | 'teams' | 'apps',
  method: 'POST' | 'PUT' | 'DELETE',
  id: string,
  summary: string,
): Route =>
  route(`${method} ${place}/restrictions/${kind}`, {
    ...changes,
    id,
    summary,
    body: Type.Union([
      Shape({ [kind]: List(Text(100), { maxItems: maxNamed }) }),
      List(Text(100), { maxItems: maxNamed }),
    ]),
    async handle(call) {
      const { forge, target, body } = call
      const names = Array.isArray(body) ? body : ((body as Record<string, string[]>)[kind] ?? [])
      const sent = await finders[kind](forge, target, names)
      const edit = (rules: BranchRules): BranchRules => {
        if (!rules.restrictions) throw notFound()
        const named = changeNames(method, rules.restrictions[kind] ?? [], sent)
        if (named.length > maxNamed)
          throw invalidField(kind, 'invalid', `Restrictions name ${maxNamed} ${kind} at most.`)
        return { ...rules, restrictions: { ...rules.restrictions, [kind]: named } }
      }
      return change(call, edit, presentNamed(kind))
    },
  })

const presentNamed = (kind: 'users' | 'teams' | 'apps') => (found: Protected, view: View) =>
  presentRestrictions(found, view)[kind]

const ofStatusChecks = ({ statusChecks }: BranchRules) => statusChecks
const presentContexts = ({ rules }: Protected) => contextsOf(rules)

const ContextsBody = Type.Union([
  Shape({ contexts: List(Text(255, 1), { maxItems: 100 }) }),
  List(Text(255, 1), { maxItems: 100 }),
])

/** The contexts that there are to be, of those there are and those that are sent. */
const contextRoute = (method: 'POST' | 'PUT' | 'DELETE', id: string, summary: string): Route =>
  route(`${method} ${place}/required_status_checks/contexts`, {
    ...changes,
    id,
    summary,
    body: ContextsBody,
    handle: (call) =>
      change(
        call,
        (rules) => {
          const { statusChecks } = rules
          if (!statusChecks) throw notFound()
          const sent = Array.isArray(call.body) ? call.body : call.body.contexts
          const known = contextsOf(rules)
          const contexts =
            method === 'PUT'
              ? sent
              : method === 'POST'
                ? [...known, ...sent]
                : known.filter((each) => !sent.includes(each))
          if (contexts.length > 100)
            throw invalidField('contexts', 'invalid', 'A branch has 100 required checks at most.')
          return { ...rules, statusChecks: readStatusChecks({ contexts }, statusChecks) }
        },
        presentContexts,
      ),
  })

export const protectionRoutes: readonly Route[] = [
  route(`GET ${place}`, {
    ...looks,
    id: 'get-branch-protection',
    summary: 'The rules of a branch; 404 for one that has none.',
    handle: show(presentProtectedBranch),
  }),
  route(`PUT ${place}`, {
    ...changes,
    id: 'update-branch-protection',
    summary: 'Gives a branch rules, in the place of those it had. Restrictions name users, teams and apps.',
    body: ProtectionBody,
    async handle(call) {
      const { forge, target, params, body, view } = call
      const refs = await forge.reading.refs(target.repository, 'refs/heads/')
      if (!refs.some(({ name }) => name === `refs/heads/${params.branch}`)) throw notFound()
      const { users = [], teams = [], apps = [] } = body.restrictions ?? {}
      const restrictions = {
        users: await finders.users(forge, target, users),
        teams: await finders.teams(forge, target, teams),
        apps: await finders.apps(forge, target, apps),
      }
      const rules = await forge.protection.set(target, params.branch, readRules(body, restrictions))
      return ok(presentProtectedBranch(await describe(call, rules), view))
    },
  }),
  route(`DELETE ${place}`, {
    ...changes,
    id: 'delete-branch-protection',
    summary: 'Takes all rules of a branch away.',
    async handle({ forge, target, params }) {
      await forge.protection.remove(target, params.branch)
      return noContent()
    },
  }),
  route(`GET ${place}/enforce_admins`, {
    ...looks,
    id: 'get-admin-branch-protection',
    summary: 'Whether admins keep to the rules as well.',
    handle: show(presentEnforcement),
  }),
  route(`POST ${place}/enforce_admins`, {
    ...changes,
    id: 'set-admin-branch-protection',
    summary: 'Has admins keep to the rules as well.',
    handle: (call) => change(call, (rules) => ({ ...rules, enforcesAdmins: true }), presentEnforcement),
  }),
  route(`DELETE ${place}/enforce_admins`, {
    ...changes,
    id: 'delete-admin-branch-protection',
    summary: 'Lets admins do without the rules about reviews, checks and who may push.',
    handle: (call) => change(call, (rules) => ({ ...rules, enforcesAdmins: false })),
  }),
  route(`GET ${place}/required_pull_request_reviews`, {
    ...looks,
    id: 'get-pull-request-review-protection',
    summary: 'The reviews that are required.',
    handle: show(presentReviewRules, ({ reviews }) => reviews),
  }),
  route(`PATCH ${place}/required_pull_request_reviews`, {
    ...changes,
    id: 'update-pull-request-review-protection',
    summary: 'Requires reviews: what is pushed to the branch must come by a pull.',
    body: ReviewsBody,
    handle: (call) =>
      change(call, (rules) => ({ ...rules, reviews: readReviews(call.body, rules.reviews) }), presentReviewRules),
  }),
  route(`DELETE ${place}/required_pull_request_reviews`, {
    ...changes,
    id: 'delete-pull-request-review-protection',
    summary: 'Requires no reviews any more.',
    handle: (call) => change(call, (rules) => ({ ...rules, reviews: null })),
  }),
  route(`GET ${place}/required_status_checks`, {
    ...looks,
    id: 'get-status-checks-protection',
    summary: 'The checks that are required.',
    handle: show(presentStatusChecks, ofStatusChecks),
  }),
  route(`PATCH ${place}/required_status_checks`, {
    ...changes,
    id: 'update-status-check-protection',
    summary: 'Requires checks: a commit that is pushed must have a status `success` of each.',
    body: StatusChecksBody,
    handle: (call) =>
      change(
        call,
        (rules) => ({ ...rules, statusChecks: readStatusChecks(call.body, rules.statusChecks) }),
        presentStatusChecks,
      ),
  }),
  route(`DELETE ${place}/required_status_checks`, {
    ...changes,
    id: 'remove-status-check-protection',
    summary: 'Requires no checks any more.',
    handle: (call) => change(call, (rules) => ({ ...rules, statusChecks: null })),
  }),
  route(`GET ${place}/required_status_checks/contexts`, {
    ...looks,
    id: 'get-all-status-check-contexts',
    summary: 'The names of the checks that are required.',
    handle: show(presentContexts, ofStatusChecks),
  }),
  contextRoute('POST', 'add-status-check-contexts', 'Requires more checks.'),
  contextRoute('PUT', 'set-status-check-contexts', 'Requires these checks and no others.'),
  contextRoute('DELETE', 'remove-status-check-contexts', 'Requires these checks no longer.'),
  route(`GET ${place}/restrictions`, {
    ...looks,
    id: 'get-access-restrictions',
    summary: 'Who may push to the branch, where only some may.',
    handle: show(presentRestrictions, ({ restrictions }) => restrictions),
  }),
  route(`GET ${place}/restrictions/users`, {
    ...looks,
    id: 'get-users-with-access-to-the-protected-branch',
    summary: 'Users who may push to the branch, where only some may.',
    handle: show(presentNamed('users'), ({ restrictions }) => restrictions),
  }),
  restrictionRoute('users', 'POST', 'add-user-access-restrictions', 'Lets more users push to the branch.'),
  restrictionRoute(
    'users',
    'PUT',
    'set-user-access-restrictions',
    'Lets these users push to the branch, and no others.',
  ),
  restrictionRoute(
    'users',
    'DELETE',
    'remove-user-access-restrictions',
    'Lets these users push to the branch no longer.',
  ),
  route(`GET ${place}/restrictions/teams`, {
    ...looks,
    id: 'get-teams-with-access-to-the-protected-branch',
    summary: 'Teams that may push to the branch, where only some may.',
    handle: show(presentNamed('teams'), ({ restrictions }) => restrictions),
  }),
  restrictionRoute('teams', 'POST', 'add-team-access-restrictions', 'Lets more teams push to the branch.'),
  restrictionRoute(
    'teams',
    'PUT',
    'set-team-access-restrictions',
    'Lets these teams push to the branch, and no others.',
  ),
  restrictionRoute(
    'teams',
    'DELETE',
    'remove-team-access-restrictions',
    'Lets these teams push to the branch no longer.',
  ),
  route(`GET ${place}/restrictions/apps`, {
    ...looks,
    id: 'get-apps-with-access-to-the-protected-branch',
    summary: 'Apps that may push to the branch, where only some may.',
    handle: show(presentNamed('apps'), ({ restrictions }) => restrictions),
  }),
  restrictionRoute('apps', 'POST', 'add-app-access-restrictions', 'Lets more apps push to the branch, by themselves.'),
  restrictionRoute('apps', 'PUT', 'set-app-access-restrictions', 'Lets these apps push to the branch, and no others.'),
  restrictionRoute('apps', 'DELETE', 'remove-app-access-restrictions', 'Lets these apps push to the branch no longer.'),
  route(`DELETE ${place}/restrictions`, {
    ...changes,
    id: 'delete-access-restrictions',
    summary: 'Lets all who may write push to the branch.',
    handle: (call) => change(call, (rules) => ({ ...rules, restrictions: null })),
  }),
]
