/** Routes of branch protection, for admins of the repository. */
import type { Access } from '../../../forge/access/opening.ts'
import type { Repository } from '../../../forge/access/repository.ts'
import type { AppRegistration } from '../../../forge/apps/registration/app-registration.ts'
import { type BranchRules, contextsOf } from '../../../forge/commits/branch-rules.ts'
import type { Protection } from '../../../forge/commits/protection.ts'
import { invalidField, notFound } from '../../../forge/failures.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import type { People } from '../../../forge/people/people.ts'
import type { Teams } from '../../../forge/people/teams.ts'
import type { Person } from '../../../forge/person.ts'
import { changed, seen } from '../doors.ts'
import { noContent, ok, type RestAnswer } from '../rest-answer.ts'
import { type ForgeCall, type Route, route } from '../route.ts'
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

type Needs = {
  apps: AppRegistration
  people: People
  protection: Protection
  reading: GitReading
  teams: Teams
}

type Named = { readonly branch: string }
type Given = { target: { readonly repository: Repository }; params: Named; view: View }

async function describe(needs: Needs, { target: { repository }, params: { branch } }: Given, rules: BranchRules) {
  const users = await Promise.all((rules.restrictions?.users ?? []).map((id) => needs.people.getById(id)))
  const teams = await needs.teams.listByIds(repository.owner, rules.restrictions?.teams ?? [])
  const apps = await needs.apps.listByIds(rules.restrictions?.apps ?? [])
  return { repository, branch, rules, users, teams, apps } satisfies Protected
}

/** Answers 404 for a part of the rules that is not set. */
const show =
  (
    needs: Needs,
    present: (found: Protected, view: View) => unknown,
    isSet: (rules: BranchRules) => unknown = () => true,
  ) =>
  async (call: Given): Promise<RestAnswer> => {
    const rules = await needs.protection.get(call.target.repository, call.params.branch)
    if (!isSet(rules)) throw notFound()
    return ok(present(await describe(needs, call, rules), call.view))
  }

type ChangeCall = ForgeCall<Access<'admin'>, unknown, Named>

async function change(
  needs: Needs,
  call: ChangeCall,
  edit: (rules: BranchRules) => BranchRules,
  present?: (found: Protected, view: View) => unknown,
): Promise<RestAnswer> {
  const rules = await needs.protection.change(call.target, call.params.branch, edit)
  return present ? ok(present(await describe(needs, call, rules), call.view)) : noContent()
}

/** Users who may push; they must be able to read the repository. */
async function findUsers(people: People, logins: readonly string[]): Promise<Person[]> {
  const found = await Promise.all(logins.map((login) => people.find(login)))
  const unknown = logins.find((_, i) => found[i]?.kind !== 'user')
  if (unknown !== undefined) throw invalidField('restrictions.users', 'invalid', `There is no user ${unknown}.`)
  return found.filter((user) => user !== undefined)
}

/** Teams of the organisation that owns the repository, by their slugs. */
async function findTeams(teams: Teams, { owner }: Repository, slugs: readonly string[]): Promise<number[]> {
  const found = await teams.findBySlugs(owner, slugs)
  const unknown = slugs.find((_, i) => !found[i])
  if (unknown !== undefined) throw invalidField('restrictions.teams', 'invalid', `There is no team ${unknown}.`)
  return found.flatMap((team) => team?.id ?? [])
}

/** Apps by their slugs, if the caller may see them. */
async function findApps(
  apps: AppRegistration,
  { actor }: Access<'admin'>,
  slugs: readonly string[],
): Promise<number[]> {
  return Promise.all(
    slugs.map(async (slug) => {
      const app = await apps.get(actor, slug).catch(() => undefined)
      if (!app) throw invalidField('restrictions.apps', 'invalid', `There is no app ${slug}.`)
      return app.id
    }),
  )
}

const finders = {
  users: async ({ people }: Needs, _access: Access<'admin'>, names: readonly string[]) =>
    (await findUsers(people, names)).map(({ id }) => id),
  teams: ({ teams }: Needs, { repository }: Access<'admin'>, names: readonly string[]) =>
    findTeams(teams, repository, names),
  apps: ({ apps }: Needs, access: Access<'admin'>, names: readonly string[]) => findApps(apps, access, names),
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
  needs: Needs,
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
      const { target, body } = call
      const names = Array.isArray(body) ? body : ((body as Record<string, string[]>)[kind] ?? [])
      const sent = await finders[kind](needs, target, names)
      const edit = (rules: BranchRules): BranchRules => {
        if (!rules.restrictions) throw notFound()
        const named = changeNames(method, rules.restrictions[kind] ?? [], sent)
        if (named.length > maxNamed)
          throw invalidField(kind, 'invalid', `Restrictions name ${maxNamed} ${kind} at most.`)
        return { ...rules, restrictions: { ...rules.restrictions, [kind]: named } }
      }
      return change(needs, call, edit, presentNamed(kind))
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

/** Computes the new list of contexts from the present and the sent ones. */
const contextRoute = (needs: Needs, method: 'POST' | 'PUT' | 'DELETE', id: string, summary: string): Route =>
  route(`${method} ${place}/required_status_checks/contexts`, {
    ...changes,
    id,
    summary,
    body: ContextsBody,
    handle: (call) =>
      change(
        needs,
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
            throw invalidField('contexts', 'invalid', 'A branch can have at most 100 required checks.')
          return { ...rules, statusChecks: readStatusChecks({ contexts }, statusChecks) }
        },
        presentContexts,
      ),
  })

export const protectionRoutes = (needs: Needs): readonly Route[] => [
  route(`GET ${place}`, {
    ...looks,
    id: 'get-branch-protection',
    summary: 'Shows the rules of a branch; 404 if it has none.',
    handle: show(needs, presentProtectedBranch),
  }),
  route(`PUT ${place}`, {
    ...changes,
    id: 'update-branch-protection',
    summary: 'Replaces the rules of a branch. Restrictions name users, teams and apps.',
    body: ProtectionBody,
    async handle(call) {
      const { target, params, body, view } = call
      const refs = await needs.reading.refs(target.repository, 'refs/heads/')
      if (!refs.some(({ name }) => name === `refs/heads/${params.branch}`)) throw notFound()
      const { users = [], teams = [], apps = [] } = body.restrictions ?? {}
      const restrictions = {
        users: await finders.users(needs, target, users),
        teams: await finders.teams(needs, target, teams),
        apps: await finders.apps(needs, target, apps),
      }
      const rules = await needs.protection.set(target, params.branch, readRules(body, restrictions))
      return ok(presentProtectedBranch(await describe(needs, call, rules), view))
    },
  }),
  route(`DELETE ${place}`, {
    ...changes,
    id: 'delete-branch-protection',
    summary: 'Removes all rules of a branch.',
    async handle({ target, params }) {
      await needs.protection.remove(target, params.branch)
      return noContent()
    },
  }),
  route(`GET ${place}/enforce_admins`, {
    ...looks,
    id: 'get-admin-branch-protection',
    summary: 'Shows whether the rules apply to admins.',
    handle: show(needs, presentEnforcement),
  }),
  route(`POST ${place}/enforce_admins`, {
    ...changes,
    id: 'set-admin-branch-protection',
    summary: 'Applies the rules to admins.',
    handle: (call) => change(needs, call, (rules) => ({ ...rules, enforcesAdmins: true }), presentEnforcement),
  }),
  route(`DELETE ${place}/enforce_admins`, {
    ...changes,
    id: 'delete-admin-branch-protection',
    summary: 'Exempts admins from the rules about reviews, checks and who may push.',
    handle: (call) => change(needs, call, (rules) => ({ ...rules, enforcesAdmins: false })),
  }),
  route(`GET ${place}/required_pull_request_reviews`, {
    ...looks,
    id: 'get-pull-request-review-protection',
    summary: 'Shows the required reviews.',
    handle: show(needs, presentReviewRules, ({ reviews }) => reviews),
  }),
  route(`PATCH ${place}/required_pull_request_reviews`, {
    ...changes,
    id: 'update-pull-request-review-protection',
    summary: 'Requires reviews: changes to the branch must be made through a pull request.',
    body: ReviewsBody,
    handle: (call) =>
      change(
        needs,
        call,
        (rules) => ({ ...rules, reviews: readReviews(call.body, rules.reviews) }),
        presentReviewRules,
      ),
  }),
  route(`DELETE ${place}/required_pull_request_reviews`, {
    ...changes,
    id: 'delete-pull-request-review-protection',
    summary: 'Stops requiring reviews.',
    handle: (call) => change(needs, call, (rules) => ({ ...rules, reviews: null })),
  }),
  route(`GET ${place}/required_status_checks`, {
    ...looks,
    id: 'get-status-checks-protection',
    summary: 'Shows the required checks.',
    handle: show(needs, presentStatusChecks, ofStatusChecks),
  }),
  route(`PATCH ${place}/required_status_checks`, {
    ...changes,
    id: 'update-status-check-protection',
    summary: 'Requires checks: a commit that is pushed must have a status `success` of each.',
    body: StatusChecksBody,
    handle: (call) =>
      change(
        needs,
        call,
        (rules) => ({ ...rules, statusChecks: readStatusChecks(call.body, rules.statusChecks) }),
        presentStatusChecks,
      ),
  }),
  route(`DELETE ${place}/required_status_checks`, {
    ...changes,
    id: 'remove-status-check-protection',
    summary: 'Stops requiring checks.',
    handle: (call) => change(needs, call, (rules) => ({ ...rules, statusChecks: null })),
  }),
  route(`GET ${place}/required_status_checks/contexts`, {
    ...looks,
    id: 'get-all-status-check-contexts',
    summary: 'Lists the names of the required checks.',
    handle: show(needs, presentContexts, ofStatusChecks),
  }),
  contextRoute(needs, 'POST', 'add-status-check-contexts', 'Requires more checks.'),
  contextRoute(needs, 'PUT', 'set-status-check-contexts', 'Requires these checks and no others.'),
  contextRoute(needs, 'DELETE', 'remove-status-check-contexts', 'Stops requiring these checks.'),
  route(`GET ${place}/restrictions`, {
    ...looks,
    id: 'get-access-restrictions',
    summary: 'Who may push to the branch, where only some may.',
    handle: show(needs, presentRestrictions, ({ restrictions }) => restrictions),
  }),
  route(`GET ${place}/restrictions/users`, {
    ...looks,
    id: 'get-users-with-access-to-the-protected-branch',
    summary: 'Users who may push to the branch, where only some may.',
    handle: show(needs, presentNamed('users'), ({ restrictions }) => restrictions),
  }),
  restrictionRoute(needs, 'users', 'POST', 'add-user-access-restrictions', 'Lets more users push to the branch.'),
  restrictionRoute(
    needs,
    'users',
    'PUT',
    'set-user-access-restrictions',
    'Lets these users push to the branch, and no others.',
  ),
  restrictionRoute(
    needs,
    'users',
    'DELETE',
    'remove-user-access-restrictions',
    'Stops letting these users push to the branch.',
  ),
  route(`GET ${place}/restrictions/teams`, {
    ...looks,
    id: 'get-teams-with-access-to-the-protected-branch',
    summary: 'Teams that may push to the branch, where only some may.',
    handle: show(needs, presentNamed('teams'), ({ restrictions }) => restrictions),
  }),
  restrictionRoute(needs, 'teams', 'POST', 'add-team-access-restrictions', 'Lets more teams push to the branch.'),
  restrictionRoute(
    needs,
    'teams',
    'PUT',
    'set-team-access-restrictions',
    'Lets these teams push to the branch, and no others.',
  ),
  restrictionRoute(
    needs,
    'teams',
    'DELETE',
    'remove-team-access-restrictions',
    'Stops letting these teams push to the branch.',
  ),
  route(`GET ${place}/restrictions/apps`, {
    ...looks,
    id: 'get-apps-with-access-to-the-protected-branch',
    summary: 'Apps that may push to the branch, where only some may.',
    handle: show(needs, presentNamed('apps'), ({ restrictions }) => restrictions),
  }),
  restrictionRoute(needs, 'apps', 'POST', 'add-app-access-restrictions', 'Lets more apps push to the branch.'),
  restrictionRoute(
    needs,
    'apps',
    'PUT',
    'set-app-access-restrictions',
    'Lets these apps push to the branch, and no others.',
  ),
  restrictionRoute(
    needs,
    'apps',
    'DELETE',
    'remove-app-access-restrictions',
    'Stops letting these apps push to the branch.',
  ),
  route(`DELETE ${place}/restrictions`, {
    ...changes,
    id: 'delete-access-restrictions',
    summary: 'Lets everyone with write access push to the branch.',
    handle: (call) => change(needs, call, (rules) => ({ ...rules, restrictions: null })),
  }),
]
