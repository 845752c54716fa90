/** What people do with a server, one act of each kind, each repeatable: the bench asks how long the first of them takes after a start. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Json } from '../../test/support/rpc.ts'
import { adminToken } from '../peers.ts'

export type Act = { readonly what: string; act(): Promise<unknown> }

const run = promisify(execFile)
const languages: Readonly<Record<string, string>> = {
  c: 'int main(void) { return 0; }',
  cpp: 'int main() {}',
  go: 'package main\nfunc main() {}',
  java: 'public class Main { public static void main(String[] a) {} }',
  javascript: 'void 0',
  python: 'pass',
  rust: 'fn main() {}',
  typescript: 'const none: number = 0; void none',
}

export function makeCaller(url: string) {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }

  async function ask(method: string, path: string, body?: unknown, more: Record<string, string> = {}) {
    const answer = await fetch(url + path, {
      method,
      headers: { ...headers, ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text.slice(0, 200)}`)
    return text
  }

  async function call(method: string, params: Json = {}): Promise<Json> {
    const { result, error } = JSON.parse(
      await ask('POST', '/', { jsonrpc: '2.0', id: crypto.randomUUID(), method, params }),
    )
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }

  return { ask, call }
}

/** Makes what the acts are about; answers the problem. */
export async function prepare(url: string): Promise<string> {
  const { ask, call } = makeCaller(url)
  const { Problem } = await call('create_problem', {
    ...{ DisplayName: 'Nothing', Description: 'Do nothing.\n\n- not a *thing*', ExampleList: [] },
    ...{ TimeLimitInMillisecond: 10_000, MemoryLimitInByte: 1 << 29 },
  })
  await call('create_test_case', { ProblemUUID: Problem.UUID, Input: '', Output: '', IsHidden: false })
  await ask('POST', '/user/repos', { name: 'first', auto_init: true })
  for (let i = 0; i < 40; i++)
    await ask('POST', '/repos/admin/first/issues', { title: `Thing ${i}`, body: `A *thing* of \`code\`, #${i}` })
  await ask('POST', '/v2/datasets?name=first')
  await ask('POST', '/v2/datasets/~first/items', listItems(1000))
  return Problem.UUID
}

export async function listActs(url: string, problem: string, folder: string): Promise<readonly Act[]> {
  const { ask, call } = makeCaller(url)
  const rest = '/repos/admin/first'
  const get = (what: string, path: string, more?: Record<string, string>): Act => ({
    what,
    act: () => ask('GET', path, undefined, more),
  })
  const rpc = (method: string, params?: Json): Act => ({ what: method, act: () => call(method, params) })
  const remote = url.replace('://', `://admin:${adminToken}@`)
  const { SupportedLanguageList } = await call('get_server_info')

  async function clone(): Promise<string> {
    const place = await mkdtemp(join(folder, 'clone-'))
    await run('git', ['clone', '--quiet', `${remote}/admin/first.git`, place])
    return place
  }
  const clones: string[] = []
  for (let i = 0; i < 8; i++) clones.push(await clone())
  let pushed = 0

  async function push(): Promise<void> {
    const place = clones[pushed++ % clones.length]!
    await run('git', ['-C', place, 'push', '--quiet', 'origin', `HEAD:refs/heads/b${crypto.randomUUID()}`])
  }

  async function submit(language: string): Promise<void> {
    // Another program each time: one that was compiled before is not compiled again.
    const comment = language === 'python' ? '#' : '//'
    const Content = `${languages[language]}\n${comment} ${crypto.randomUUID()}\n`
    const { SubmissionSnippet } = await call('create_submission', { ProblemUUID: problem, Language: language, Content })
    const { ID } = SubmissionSnippet
    const { Submission } = await call('wait_for_submission', { ID, WaitMillisecond: 30_000 })
    if (Submission.Result !== 1) throw new Error(`${language} had the result ${Submission.Result}.`)
  }

  return [
    get('the page', '/-/', { accept: 'text/html' }),
    rpc('get_server_info'),
    rpc('create_session', { AccountName: 'admin', Password: 'bench-password' }),
    rpc('get_problem_snippet_list', { Offset: 0, Limit: 30 }),
    rpc('get_problem', { UUID: problem }),
    get('GET /user', '/user'),
    get('a repository', rest),
    get('a page of issues', `${rest}/issues`),
    get('a page of issues, rendered', `${rest}/issues`, { accept: 'application/vnd.github.full+json' }),
    get('an issue', `${rest}/issues/1`),
    get('commits', `${rest}/commits`),
    get('a file', `${rest}/contents/README.md`),
    get('notifications', '/notifications'),
    get('a search of issues', '/search/issues?q=thing'),
    { what: 'POST of an issue', act: () => ask('POST', `${rest}/issues`, { title: 'One more' }) },
    {
      what: 'a GraphQL query',
      act: () => ask('POST', '/graphql', { query: '{ repository(owner:"admin",name:"first") { id name } }' }),
    },
    { what: 'git clone', act: async () => rm(await clone(), { recursive: true }) },
    { what: 'git push', act: push },
    { what: 'a push of 100 items', act: () => ask('POST', '/v2/datasets/~first/items', listItems(100)) },
    get('a page of items', '/v2/datasets/~first/items?limit=10'),
    ...['json', 'csv', 'xlsx', 'xml', 'html', 'rss'].map((format) =>
      get(`1,000 items as ${format}`, `/v2/datasets/~first/items?limit=1000&format=${format}`),
    ),
    ...(SupportedLanguageList as { Value: string }[])
      .filter(({ Value }) => languages[Value] !== undefined)
      .map(({ Value }) => ({ what: `a verdict in ${Value}`, act: () => submit(Value) })),
  ]
}

const listItems = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: i, name: `item ${i}`, price: i / 8, tags: ['a', 'b'], at: { x: i } }))
