/** Which address shows which view. A part of the page is loaded when it is first shown. */
import type { ComponentType } from 'preact'

export type ViewProps = { readonly params: Readonly<Record<string, string>> }
export type View = ComponentType<ViewProps>
type Load = () => Promise<View>

const judge = () => import('../judge/views.ts')
const teach = () => import('../teach/views.ts')
const admin = () => import('../admin/views.ts')
const datasets = () => import('../datasets/views.ts')
const account = () => import('../account/views.ts')
const docs = () => import('../docs/views.ts')

/** The first that fits counts. */
const routes: readonly (readonly [pattern: string, load: Load])[] = [
  ['/-/', async () => (await import('../account/home.tsx')).Home],
  ['/-/sign-in', async () => (await account()).SignIn],
  ['/-/sign-up', async () => (await account()).SignUp],
  ['/-/account/tokens', async () => (await account()).Tokens],
  ['/-/account/sessions', async () => (await account()).Sessions],
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
  ['/-/admin', async () => (await admin()).Accounts],
  ['/-/admin/accounts', async () => (await admin()).Accounts],
  ['/-/admin/judging', async () => (await admin()).Judging],
  ['/-/admin/settings', async () => (await admin()).Settings],
  ['/-/datasets', async () => (await datasets()).Datasets],
  ['/-/datasets/:id', async () => (await datasets()).DatasetView],
  ['/-/docs', async () => (await docs()).Documents],
  ['/-/docs/reference/:name', async () => (await docs()).ReferenceView],
  ['/-/docs/:name', async () => (await docs()).DocumentView],
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
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(given[at]!)
    else if (part !== given[at]) return undefined
  }
  return params
}
