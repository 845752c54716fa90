/** Mixed work for one connection after the other: over the three interfaces and git's, mostly reads, some writes, some waits. */
import { randomUUID } from 'node:crypto'
import { makeRest } from '../../test/support/rest.ts'
import { makeRpcClient } from '../../test/support/rpc.ts'
import { admin } from '../../test/support/server.ts'

export type Work = {
  readonly name: string
  /** How often it is drawn, among all. */
  readonly weight: number
  readonly method: string
  readonly path: string
  body?(): string
  /** Whether the answer is as it should be. */
  isFine(status: number, body: string): boolean
}

const rpcBody = (method: string, params: object) => () =>
  JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params })

const isResult = (status: number, body: string) => status === 200 && body.includes('"result":')
const isOk = (status: number) => status === 200

const rpc = (weight: number, method: string, params: object): Work => {
  return { name: method, weight, method: 'POST', path: '/', body: rpcBody(method, params), isFine: isResult }
}

const get = (weight: number, path: string): Work => ({
  name: `GET ${path.split('?')[0]}`,
  weight,
  method: 'GET',
  path,
  isFine: isOk,
})

/** Makes what the work is about, and lists it. */
export async function prepareMix(url: string): Promise<readonly Work[]> {
  const judge = makeRpcClient(url, admin.token)
  const rest = makeRest(url, admin.token)
  const { Problem } = await judge.call('create_problem', {
    DisplayName: 'Sum',
    Description: 'Add two numbers.',
    TimeLimitInMillisecond: 1_000,
    MemoryLimitInByte: 64 * 1024 * 1024,
    ExampleList: [],
  })
  const draft = { ProblemUUID: Problem.UUID, Language: 'python', Content: 'print(3)' }
  const { SubmissionSnippet } = await judge.call('create_submission', draft)
  await rest.post('/user/repos', { name: 'soaked', auto_init: true })
  const { body } = await rest.ask('POST', '/v2/datasets?name=soaked')
  const items = `/v2/datasets/${body.data.id}/items`
  return [
    rpc(15, 'get_account', { ID: 1 }),
    rpc(8, 'get_problem', { UUID: Problem.UUID }),
    rpc(8, 'get_submission_snippet_list', { Offset: 0, Limit: 20 }),
    rpc(2, 'create_submission', draft),
    rpc(5, 'wait_for_submission', { ID: SubmissionSnippet.ID, WaitMillisecond: 2_000 }),
    get(15, '/user'),
    get(10, '/repos/admin/soaked'),
    get(8, '/repos/admin/soaked/commits'),
    get(5, '/repos/admin/soaked/readme'),
    get(1, '/admin/soaked.git/info/refs?service=git-upload-pack'),
    { ...get(3, '/repos/admin/soaked'), name: 'PATCH a repository', method: 'PATCH', body: patchBody },
    { ...get(8, items), name: 'push items', method: 'POST', body: itemsBody, isFine: (status) => status === 201 },
    get(10, `${items}?limit=50&desc=1`),
    get(2, '/healthz'),
  ]
}

const patchBody = () => JSON.stringify({ description: randomUUID() })
const itemsBody = () => JSON.stringify([{ at: Date.now(), text: randomUUID() }])
