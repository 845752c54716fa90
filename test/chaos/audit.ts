/** When the faults are over: every answered thing is there exactly once, at both servers, and true. */
import { join } from 'node:path'
import pg from 'pg'
import { makeRandom } from '../fuzz/random.ts'
import { runGit } from '../support/git.ts'
import { until } from '../support/until.ts'
import { adminRpc, type Findings, makeClient } from './client.ts'
import type { Cluster } from './cluster.ts'
import type { Remembered } from './work.ts'

/** Servers on one database and one folder. */
export type Audited = Pick<Cluster, 'databaseUrl' | 'dataFolder'> & { readonly servers: readonly { url: string }[] }

type Needs = { cluster: Audited; known: Remembered; findings: Findings }

const finished = 3
const pageLength = 100

export async function auditAnswers({ cluster, known, findings }: Needs): Promise<void> {
  const database = new pg.Client(cluster.databaseUrl)
  await database.connect()
  try {
    await auditVerdicts(database, known, findings)
    for (const { url } of cluster.servers) {
      await auditAccounts(url, known, findings)
      await auditProblems(url, known, findings)
      await auditItems(url, known, findings)
      await auditShown(url, known, findings)
    }
    await auditRepositories(database, { cluster, known, findings })
  } finally {
    await database.end()
  }
}

/** Answers undefined once all pages are read. */
async function listAll<T>(read: (offset: number) => Promise<readonly T[]>): Promise<T[]> {
  const all: T[] = []
  for (;;) {
    const page = await read(all.length)
    all.push(...page)
    if (page.length < pageLength) return all
  }
}

function countEach(list: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1)
  return counts
}

async function auditAccounts(url: string, { accounts }: Remembered, findings: Findings): Promise<void> {
  const rpc = adminRpc(url)
  const listed = await listAll(async (Offset) => {
    const { AccountList } = await rpc.call('get_account_list', { Offset, Limit: pageLength })
    return AccountList as { AccountName: string }[]
  })
  const counts = countEach(listed.map(({ AccountName }) => AccountName))
  for (const name of accounts)
    if (counts.get(name) !== 1) findings.push(`account ${name}: ${counts.get(name) ?? 0} times`)
}

async function auditProblems(url: string, { problems }: Remembered, findings: Findings): Promise<void> {
  const rpc = adminRpc(url)
  const listed = await listAll(async (Offset) => {
    const { ProblemSnippetList } = await rpc.call('get_problem_snippet_list', { Offset, Limit: pageLength })
    return ProblemSnippetList as { UUID: string }[]
  })
  const counts = countEach(listed.map(({ UUID }) => UUID))
  for (const { uuid } of problems)
    if (counts.get(uuid) !== 1) findings.push(`problem ${uuid}: ${counts.get(uuid) ?? 0} times`)
}

/** Those that were handed in without an answer have a true verdict as well, or are not there. */
async function auditVerdicts(database: pg.Client, known: Remembered, findings: Findings): Promise<void> {
  const read = async () => {
    const { rows } = await database.query(
      `select s.id, s.status, s.result, convert_from(c.content, 'UTF8') as content
         from submission s join submission_source c on c.submission_id = s.id`,
    )
    return rows as { id: string; status: string; result: string; content: string }[]
  }
  await until(async () => (await read()).every(({ status }) => Number(status) === finished), 200)
  const rows = await read()
  const markOf = (content: string) => /mark [0-9a-f-]{36}/.exec(content)?.[0] ?? ''
  const counts = countEach(rows.map(({ content }) => markOf(content)))
  const byId = new Map(rows.map((row) => [Number(row.id), row]))
  for (const { id, mark } of known.submissions) {
    if (counts.get(mark) !== 1 || markOf(byId.get(id)?.content ?? '') !== mark) {
      findings.push(`submission ${id}: ${counts.get(mark) ?? 0} times`)
    }
  }
  for (const { id, content, result } of rows) {
    const mark = markOf(content)
    if (Number(result) !== known.submissionTries.get(mark))
      findings.push(`submission ${id}: the verdict ${result} is not true`)
    if (counts.get(mark)! > 1) findings.push(`submission ${id}: handed in once, there ${counts.get(mark)} times`)
  }
}

/** What each server shows of a submission and of a repository is what was answered. */
async function auditShown(url: string, known: Remembered, findings: Findings): Promise<void> {
  const client = makeClient({ urls: [url], random: makeRandom(1), findings, signal: AbortSignal.timeout(120_000) })
  for (const { id, result } of known.submissions.slice(-pageLength)) {
    const { Submission } = await client.rpc(url, 'get_submission', { ID: id })
    if (Submission.Result !== result)
      findings.push(`${url} shows submission ${id} with ${Submission.Result}, not ${result}`)
  }
  for (const [name, shas] of known.pushes) {
    const { status, body } = await client.http(url, 'GET', `/repos/admin/${name}/commits?per_page=100`)
    const shown = status === 200 ? (body as { sha: string }[]).map(({ sha }) => sha) : []
    const missing = shas.filter((sha) => !shown.includes(sha))
    if (missing.length > 0) findings.push(`${url} does not show ${missing.join(', ')} of ${name}: ${status}`)
  }
}

async function auditItems(url: string, { items }: Remembered, findings: Findings): Promise<void> {
  const client = makeClient({ urls: [url], random: makeRandom(1), findings, signal: AbortSignal.timeout(120_000) })
  for (const [id, { answered, tried }] of items) {
    const { body } = await client.http(url, 'GET', `/v2/datasets/${id}/items`)
    const all = body as { mark: string; part: number }[]
    const firsts = all.filter(({ part }) => part === 0).map(({ mark }) => mark)
    // A push is whole, and its items stay together.
    all.forEach(({ mark, part }, i) => {
      const other = all[part === 0 ? i + 1 : i - 1]
      if (other?.mark !== mark) findings.push(`data set ${id}: the push ${mark} is not whole`)
    })
    const counts = countEach(firsts)
    for (const mark of answered)
      if (counts.get(mark) !== 1) findings.push(`data set ${id}: ${mark} ${counts.get(mark) ?? 0} times`)
    for (const [mark, count] of counts) {
      if (!tried.has(mark) || count > 1) findings.push(`data set ${id}: ${mark}, ${count} times`)
    }
    const kept = new Set(answered)
    const inOrder = firsts.filter((mark) => kept.has(mark))
    if (inOrder.join() !== answered.join()) findings.push(`data set ${id}: not in the order of the answers`)
  }
}

async function auditRepositories(database: pg.Client, { cluster, known, findings }: Needs): Promise<void> {
  const { rows } = await database.query('select id, name from repository')
  const idOf = new Map((rows as { id: string; name: string }[]).map(({ id, name }) => [name, Number(id)]))
  for (const name of known.pushes.keys()) if (!idOf.has(name)) findings.push(`repository ${name}: not there`)
  for (const [name, id] of idOf) {
    const folder = repositoryFolder(cluster, id)
    const checked = await runGit(folder, ['--git-dir', '.', 'fsck', '--full', '--strict'])
    if (checked.code !== 0) findings.push(`repository ${name}: ${checked.output}`)
    const listed = await runGit(folder, ['--git-dir', '.', 'log', '--format=%H', 'main'])
    const there = new Set(listed.output.split('\n'))
    const missing = (known.pushes.get(name) ?? []).filter((sha) => !there.has(sha))
    if (missing.length > 0) findings.push(`repository ${name}: ${missing.join(', ')} was answered and is not there`)
  }
}

const repositoryFolder = ({ dataFolder }: Audited, id: number): string =>
  join(dataFolder, 'repositories', (id % 256).toString(16).padStart(2, '0'), `${id}.git`)
