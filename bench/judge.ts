/** The judge over HTTP: against a bare echo, and with a million submissions against a thousand. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeZip } from '../test/support/zip.ts'
import { compareRates, requestsPerSecond, type Target } from './load.ts'
import { adminToken, type Peer, startEcho, startGuildhall } from './peers.ts'
import { storeAccountsAndProblems, storeSubmissions } from './submissions.ts'
import type { Row } from './table.ts'

const id = '6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11'
const claimMethod = 'get_and_update_first_submitted_submission_to_executing'
/** A write is on disk before it is answered: so many share the wait for the disk. */
const connections = 64
const unlimited = { GUILDHALL_LIMITS: 'off', GUILDHALL_ADMIN_NAME: 'admin' }

export async function bench(): Promise<Row[]> {
  return [...(await compareToEcho()), await measureUnpacking(), await measureUpload(), ...(await compareSizes())]
}

async function compareToEcho(): Promise<Row[]> {
  const [echo, us] = [await startEcho(), await startGuildhall(unlimited)]
  const ProblemUUID = await makeProblem(us.url)
  const Content = 'int main(void) { return 0; }\n'.repeat(20)
  const create = ask(us.url, 'create_submission', { ProblemUUID, Content, Language: 'c' })
  const made = (await send(create)) as { SubmissionSnippet: { ID: number } }
  const get = ask(us.url, 'get_submission', { ID: made.SubmissionSnippet.ID })
  const againstEcho = async (what: string, target: Target): Promise<Row> => ({
    what,
    against: 'bare Fastify echo',
    ratios: await compareRates(target, { ...target, url: `${echo.url}/` }, 5, connections),
    goal: { atLeast: 0.5 },
    note: `${connections} connections`,
  })
  const rows = [await againstEcho('create_submission', create), await againstEcho('get_submission', get)]
  await us.stop()
  await echo.stop()
  return rows
}

type Stage = { peer: Peer; problem: string; account: number; stored: number; folder: string }

/** Everything by one account to one problem: so each of the four lists is as long as the table. */
async function compareSizes(): Promise<Row[]> {
  const [small, large] = [await startWith(1_000), await startWith(1_000_000)]
  const rows: Row[] = []
  const compare = async (what: string, cost: (stage: Stage, round: number) => Promise<number>) => {
    const ratios: number[] = []
    await cost(small, 0)
    await cost(large, 0)
    for (let round = 1; round <= 5; round++) {
      const least = await cost(small, round)
      ratios.push((await cost(large, round)) / least)
    }
    rows.push({ what, against: 'the same with 1,000', ratios, goal: { atMost: 1.5 } })
  }

  await compare('claim, 1,000,000 stored', (stage) => costOfClaims(stage, 100))
  await compare('create_submission, 1,000,000 stored', costOfCreating)
  for (const [what, list] of Object.entries(lists)) {
    await compare(`${what}: first page of 1,000,000`, (stage) => costOf(list(stage, 0)))
    // The small one's last full page: it has no 10,000th, and an empty page would be no fair peer.
    await compare(`${what}: 10,000th page of 1,000,000`, (stage) => costOf(list(stage, stage.stored - 100)))
  }
  for (const { peer, folder } of [small, large]) {
    await peer.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return rows
}

const lists: Record<string, (stage: Stage, offset: number) => Target> = {
  accounts: ({ peer }, offset) => ask(peer.url, 'get_account_list', pageAt(offset)),
  problems: ({ peer }, offset) => ask(peer.url, 'get_problem_snippet_list', pageAt(offset)),
  'problems of an account': ({ peer, account }, offset) =>
    ask(peer.url, 'get_account_problem_snippet_list', { AccountID: account, ...pageAt(offset) }),
  'all submissions': ({ peer }, offset) => ask(peer.url, 'get_submission_snippet_list', pageAt(offset)),
  'of an account': ({ peer, account }, offset) =>
    ask(peer.url, 'get_account_submission_snippet_list', { AccountID: account, ...pageAt(offset) }),
  'to a problem': ({ peer, problem }, offset) =>
    ask(peer.url, 'get_problem_submission_snippet_list', { ProblemUUID: problem, ...pageAt(offset) }),
  'of an account to a problem': ({ peer, account, problem }, offset) =>
    ask(peer.url, 'get_account_problem_submission_snippet_list', {
      AccountID: account,
      ProblemUUID: problem,
      ...pageAt(offset),
    }),
}

const pageAt = (Offset: number) => ({ Offset, Limit: 100 })

async function startWith(stored: number): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-bench-'))
  const environment = { ...unlimited, GUILDHALL_DATA: folder }
  const first = await startGuildhall(environment)
  const problem = await makeProblem(first.url)
  const { Account } = (await send(ask(first.url, 'get_session', {}))) as { Account: { ID: number } }
  await first.stop()
  await storeSubmissions(join(folder, 'guildhall.db'), stored, Account.ID, problem)
  await storeAccountsAndProblems(join(folder, 'guildhall.db'), stored, Account.ID)
  return { peer: await startGuildhall(environment), problem, account: Account.ID, stored, folder }
}

const costOf = async (target: Target): Promise<number> => 1 / (await requestsPerSecond(target, 1, 4))

const costOfCreating = ({ peer, problem }: Stage): Promise<number> =>
  costOf(ask(peer.url, 'create_submission', { ProblemUUID: problem, Content: 'x', Language: 'c' }))

async function costOfClaims({ peer }: Stage, count: number): Promise<number> {
  const startedAt = performance.now()
  for (let i = 0; i < count; i++) await send(ask(peer.url, claimMethod, {}))
  return (performance.now() - startedAt) / count
}

function ask(url: string, method: string, params: object): Target & { body: string } {
  return {
    url: `${url}/`,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
  }
}

async function send({ url, headers = {}, body = '' }: Target): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers, body })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}

async function makeProblem(url: string): Promise<string> {
  const draft = {
    DisplayName: 'Sum',
    Description: 'Add.',
    TimeLimitInMillisecond: 1_000,
    MemoryLimitInByte: 64 * 1024 * 1024,
    ExampleList: [],
  }
  const { Problem } = (await send(ask(url, 'create_problem', draft))) as { Problem: { UUID: string } }
  return Problem.UUID
}

const mebibyte = 1024 * 1024

/** A small zip that unpacks to nearly the limit: what the server holds meanwhile must not grow with it. */
async function measureUnpacking(): Promise<Row> {
  const us = await startGuildhall(unlimited)
  const ProblemUUID = await makeProblem(us.url)
  const unpackedMebibytes = 896
  const ZippedTestData = makeArchive(unpackedMebibytes / 14, 7 * mebibyte).toString('base64')
  const before = readMemory(us.process.pid!, 'VmRSS')
  await send(ask(us.url, 'create_test_case_list', { ProblemUUID, ZippedTestData }))
  const growth = readMemory(us.process.pid!, 'VmHWM') - before
  await us.stop()
  return {
    what: `memory taken while ${unpackedMebibytes} MiB are unpacked`,
    against: 'what is unpacked',
    ratios: [growth / (unpackedMebibytes * mebibyte)],
    goal: { atMost: 0.35 },
    note: `${Math.round(growth / mebibyte)} MiB for a zip of ${Math.round((ZippedTestData.length * 3) / 4 / mebibyte)} MiB`,
  }
}

/** A zip as large as may be sent, nothing of it packed: neither the body nor the zip must be held whole. */
async function measureUpload(): Promise<Row> {
  const us = await startGuildhall(unlimited)
  const ProblemUUID = await makeProblem(us.url)
  const names = Array.from({ length: 31 }, (_, i) => [`${i}.in`, `${i}.out`]).flat()
  const zip = makeZip(names.map((path) => ({ path, data: randomBytes(mebibyte / 2).toString('hex'), isPacked: false })))
  const target = ask(us.url, 'create_test_case_list', { ProblemUUID, ZippedTestData: zip.toString('base64') })
  const before = readMemory(us.process.pid!, 'VmRSS')
  await send(target)
  const growth = readMemory(us.process.pid!, 'VmHWM') - before
  await us.stop()
  return {
    what: `memory taken while a zip of ${Math.round(zip.length / mebibyte)} MiB is sent`,
    against: 'the body sent',
    ratios: [growth / target.body.length],
    goal: { atMost: 2 },
    note: `${Math.round(growth / mebibyte)} MiB for a body of ${Math.round(target.body.length / mebibyte)} MiB`,
  }
}

/** In bytes, as the system counts them. */
function readMemory(pid: number, what: 'VmRSS' | 'VmHWM'): number {
  const line = new RegExp(`^${what}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1]) * 1024
}

/** Pairs of files that pack about a hundredfold. */
function makeArchive(pairs: number, bytes: number): Buffer {
  const line = Buffer.from(Array.from({ length: 400 }, (_, i) => `${(i * 7919) % 1000} `).join(''))
  const data = Buffer.alloc(bytes, line)
  const names = Array.from({ length: pairs }, (_, i) => [`${i}.in`, `${i}.out`]).flat()
  return makeZip(names.map((path) => ({ path, data })))
}
