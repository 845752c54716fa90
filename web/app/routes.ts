/** Which address shows which view. A part of the page is loaded when it is first shown. */
import { restSteps } from '../../src/lib/rest-addresses.ts'
import type { View } from './view.ts'

type Load = () => Promise<View>

const judge = () => import('../judge/views.ts')
const teach = () => import('../teach/views.ts')
const classes = () => import('../teach/classes/views.ts')
const sheets = () => import('../teach/sheets/views.ts')
const contests = () => import('../contests/views.ts')
const jury = () => import('../contests/jury/views.ts')
const admin = () => import('../admin/views.ts')
const datasets = () => import('../datasets/views.ts')
const account = () => import('../account/views.ts')
const docs = () => import('../docs/views.ts')
const inbox = () => import('../inbox/views.ts')
const organisations = () => import('../organisations/views.ts')
const ownApps = () => import('../account/app-views.ts')
const code = () => import('../code/views.ts')
const issues = () => import('../issues/views.ts')
const pulls = () => import('../pulls/views.ts')

/** The first match wins. A `*` at the end matches the rest of the address. */
const routes: readonly (readonly [pattern: string, load: Load])[] = [
  ['/-/', async () => (await import('../account/home.tsx')).Home],
  ['/-/sign-in', async () => (await account()).SignIn],
  ['/-/sign-up', async () => (await account()).SignUp],
  ['/-/account/tokens', async () => (await account()).Tokens],
  ['/-/account/sessions', async () => (await account()).Sessions],
  ['/-/account/keys', async () => (await account()).Keys],
  ['/-/account/apps', async () => (await ownApps()).Apps],
  ['/-/account/apps/new', async () => (await ownApps()).NewApp],
  ['/-/account/apps/:slug', async () => (await ownApps()).OwnAppView],
  ['/-/account/oauth-apps/:client', async () => (await ownApps()).OAuthAppView],
  ['/-/account/migrations', async () => (await import('../account/migrations.tsx')).Migrations],
  ['/-/account', async () => (await account()).MyAccount],
  ['/-/judge', async () => (await judge()).Problems],
  ['/-/judge/submissions', async () => (await judge()).Submissions],
  ['/-/judge/submissions/:id', async () => (await judge()).SubmissionView],
  ['/-/judge/problems/new', async () => (await teach()).NewProblem],
  ['/-/judge/problems/import', async () => (await teach()).ImportPackage],
  ['/-/judge/problems/:uuid', async () => (await judge()).ProblemView],
  ['/-/judge/problems/:uuid/edit', async () => (await teach()).EditProblem],
  ['/-/judge/problems/:uuid/tests', async () => (await teach()).TestCases],
  ['/-/judge/problems/:uuid/judging', async () => (await teach()).ProblemJudging],
  ['/-/judge/problems/:uuid/rejudge', async () => (await teach()).Rejudge],
  ['/-/judge/results', async () => (await teach()).Results],
  ['/-/classes', async () => (await classes()).Classes],
  ['/-/classes/:class', async () => (await classes()).ClassSheets],
  ['/-/classes/:class/results', async () => (await classes()).ClassResultsView],
  ['/-/classes/:class/members', async () => (await classes()).Members],
  ['/-/classes/:class/import', async () => (await classes()).ImportRoster],
  ['/-/classes/:class/settings', async () => (await classes()).ClassSettings],
  ['/-/classes/:class/new-sheet', async () => (await sheets()).NewSheet],
  ['/-/sheets/:id', async () => (await sheets()).SheetView],
  ['/-/sheets/:id/copy', async () => (await sheets()).CopySheet],
  ['/-/sheets/:id/edit', async () => (await sheets()).EditSheet],
  ['/-/sheets/:id/extensions', async () => (await sheets()).Extensions],
  ['/-/sheets/:id/results', async () => (await sheets()).SheetResults],
  ['/-/sheets/:id/similarity/:uuid', async () => (await sheets()).SimilarityView],
  ['/-/contests', async () => (await contests()).Contests],
  ['/-/contests/new', async () => (await jury()).NewContest],
  ['/-/contests/:contest', async () => (await contests()).ContestHome],
  ['/-/contests/:contest/problems/:problem', async () => (await contests()).ContestProblemView],
  ['/-/contests/:contest/board', async () => (await contests()).ContestBoard],
  ['/-/contests/:contest/projector', async () => (await contests()).ContestProjector],
  ['/-/contests/:contest/submissions', async () => (await contests()).ContestSubmissions],
  ['/-/contests/:contest/clarifications', async () => (await contests()).ContestClarifications],
  ['/-/contests/:contest/balloons', async () => (await contests()).ContestBalloons],
  ['/-/contests/:contest/virtual', async () => (await contests()).ContestVirtual],
  ['/-/contests/:contest/resolver', async () => (await jury()).ContestResolver],
  ['/-/contests/:contest/manage', async () => (await jury()).ManageRun],
  ['/-/contests/:contest/manage/settings', async () => (await jury()).ManageSettings],
  ['/-/contests/:contest/manage/problems', async () => (await jury()).ManageProblems],
  ['/-/contests/:contest/manage/teams', async () => (await jury()).ManageTeams],
  ['/-/contests/:contest/manage/rejudgings', async () => (await jury()).ManageRejudgings],
  ['/-/contests/:contest/manage/rejudgings/:id', async () => (await jury()).ManageRejudging],
  ['/-/contests/:contest/manage/statistics', async () => (await jury()).ManageStatistics],
  ['/-/admin', async () => (await admin()).Accounts],
  ['/-/admin/accounts', async () => (await admin()).Accounts],
  ['/-/admin/organisations', async () => (await admin()).Organisations],
  ['/-/admin/judging', async () => (await admin()).Judging],
  ['/-/admin/audit', async () => (await admin()).Audit],
  ['/-/admin/settings', async () => (await admin()).Settings],
  ['/-/datasets', async () => (await datasets()).Datasets],
  ['/-/datasets/:id', async () => (await datasets()).DatasetView],
  ['/-/docs', async () => (await docs()).Documents],
  ['/-/docs/reference/:name', async () => (await docs()).ReferenceView],
  ['/-/docs/:name', async () => (await docs()).DocumentView],
  ['/-/inbox', async () => (await inbox()).Inbox],
  ['/-/inbox/watching', async () => (await inbox()).Watching],
  ['/-/issues', async () => (await issues()).OwnIssuesView],
  ['/-/pulls', async () => (await issues()).OwnPullsView],
  ['/-/organisations/new', async () => (await organisations()).NewOrganisation],
  ['/-/search', async () => (await import('../search/code-page.tsx')).CodeSearchView],
  ['/-/repositories/new', async () => (await code()).NewRepository],
  ['/-/repositories', async () => (await code()).Repositories],
  ['/:owner', async () => (await code()).OwnerView],
  ['/orgs/:org', async () => (await organisations()).OrganisationView],
  ['/orgs/:org/teams/:team', async () => (await organisations()).TeamView],
  ['/apps/:slug', async () => (await import('../apps/app.tsx')).AppView],
  ['/:owner/:repo/settings', async () => (await code()).SettingsView],
  ['/:owner/:repo/settings/:part', async () => (await code()).SettingsView],
  ['/:owner/:repo/invitations', async () => (await code()).InvitationView],
  ['/:owner/:repo/graphs/contributors', async () => (await code()).ContributorsView],
  ['/:owner/:repo/forks', async () => (await code()).ForksView],
  ['/:owner/:repo/stargazers', async () => (await code()).StargazersView],
  ['/:owner/:repo/watchers', async () => (await code()).WatchersView],
  ['/:owner/:repo/wiki', async () => (await code()).WikiView],
  ['/:owner/:repo/wiki/*', async () => (await code()).WikiView],
  ['/:owner/:repo/edit/*', async () => (await code()).EditView],
  ['/:owner/:repo/delete/*', async () => (await code()).DeleteView],
  ['/:owner/:repo/new/*', async () => (await code()).NewFileView],
  ['/:owner/:repo/upload/*', async () => (await code()).UploadView],
  ['/:owner/:repo/commits', async () => (await code()).CommitsView],
  ['/:owner/:repo/commits/*', async () => (await code()).CommitsView],
  ['/:owner/:repo/compare', async () => (await code()).CompareView],
  ['/:owner/:repo/compare/*', async () => (await code()).CompareView],
  ['/:owner/:repo/branches', async () => (await code()).BranchesView],
  ['/:owner/:repo/tags', async () => (await code()).TagsView],
  ['/:owner/:repo/releases', async () => (await code()).ReleasesView],
  ['/:owner/:repo/releases/new', async () => (await code()).NewReleaseView],
  ['/:owner/:repo/releases/edit/:id', async () => (await code()).EditReleaseView],
  ['/:owner/:repo/releases/tag/*', async () => (await code()).ReleaseView],
  ['/:owner/:repo/tree/*', async () => (await code()).TreeView],
  ['/:owner/:repo/blob/*', async () => (await code()).BlobView],
  ['/:owner/:repo/blame/*', async () => (await code()).BlameView],
  ['/:owner/:repo/raw/*', async () => (await code()).RawView],
  ['/:owner/:repo/commit/:sha', async () => (await code()).CommitView],
  ['/:owner/:repo/issues', async () => (await issues()).IssuesView],
  ['/:owner/:repo/issues/new', async () => (await issues()).NewIssueView],
  ['/:owner/:repo/issues/:number', async () => (await issues()).IssueView],
  ['/:owner/:repo/labels', async () => (await issues()).LabelsView],
  ['/:owner/:repo/milestones', async () => (await issues()).MilestonesView],
  ['/:owner/:repo/milestone/:number', async () => (await issues()).MilestoneView],
  ['/:owner/:repo/pulls', async () => (await issues()).PullsView],
  ['/:owner/:repo/pulls/new', async () => (await pulls()).NewPullView],
  ['/:owner/:repo/pull/:number', async () => (await pulls()).PullView],
  ['/:owner/:repo/pull/:number/commits', async () => (await pulls()).PullCommitsView],
  ['/:owner/:repo/pull/:number/checks', async () => (await pulls()).PullChecksView],
  ['/:owner/:repo/pull/:number/files', async () => (await pulls()).PullFilesView],
  ['/:owner/:repo', async () => (await code()).RepositoryView],
]

export type Match = { readonly pattern: string; readonly params: Readonly<Record<string, string>>; readonly load: Load }

export function findRoute(path: string): Match | undefined {
  const parts = path.replace(/(.)\/$/, '$1').split('/')
  for (const [pattern, load] of routes) {
    const params = matchParts(pattern.replace(/(.)\/$/, '$1').split('/'), parts)
    if (params) return { pattern, params, load }
  }
  return undefined
}

function matchParts(wanted: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  const takesRest = wanted.at(-1) === '*'
  if (takesRest ? given.length < wanted.length : wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    if (part === '*') params['*'] = given.slice(at).map(decode).join('/')
    else if (part.startsWith(':')) params[part.slice(1)] = decode(given[at]!)
    else if (part !== given[at]) return undefined
  }
  return isOwner(params.owner) ? params : undefined
}

const isOwner = (name: string | undefined): boolean => name !== '-' && name !== ''

/** Whether the page handles a link itself: addresses shared with REST are left to the server. */
export function isOfPage(path: string): boolean {
  const [, first = ''] = path.split('/')
  const match = findRoute(path)
  return match !== undefined && (!restSteps.has(first) || match.pattern.startsWith(`/${first}/`))
}

/** A name may hold a percent sign that stands for itself. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
