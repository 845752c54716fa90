/** JSON-RPC 2.0 alone, case by case: the specification's own examples, and what our page decides. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { makeJsonParsing } from '../../../src/api/json/json-parsing.ts'
import { answerBody, type Dispatch } from '../../../src/api/judge-rpc/protocol.ts'

const uuid = '6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11'
const known = new Set(['update', 'sum', 'notify_hello', 'get_data', 'subtract', 'notify_sum'])
const heard: string[] = []
const dispatch: Dispatch = async (method, params) => {
  heard.push(method)
  if (!known.has(method)) return { error: { code: -32601, message: 'Method not found', data: {} } }
  return { result: { method, params } }
}
const parseJson = makeJsonParsing()
const actor = { account: undefined, address: '127.0.0.1' }
const answer = (body: string | Buffer) => answerBody(Buffer.from(body), (bytes) => parseJson(actor, bytes), dispatch)

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
const codeOf = (one: any): unknown => (Array.isArray(one) ? one.map(codeOf) : [one?.error?.code ?? 'ok', one?.id])

/** Section 7 of the specification. Its ids are no uuids, so a call that would succeed there is refused here, id echoed. */
const printed: [name: string, body: string, expected: unknown][] = [
  ['positional parameters', '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}', [-32600, 1]],
  [
    'positional parameters, swapped',
    '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}',
    [-32600, 2],
  ],
  [
    'named parameters, id no uuid',
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
    [-32600, 3],
  ],
  ['a notification', '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', undefined],
  ['a notification of an unknown method', '{"jsonrpc": "2.0", "method": "foobar"}', undefined],
  ['a method that is not there, id no uuid', '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', [-32600, '1']],
  ['invalid JSON', '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', [-32700, null]],
  ['an invalid request object', '{"jsonrpc": "2.0", "method": 1, "params": "bar"}', [-32600, null]],
  [
    'a batch of invalid JSON',
    '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"]',
    [-32700, null],
  ],
  ['an empty array', '[]', [-32600, null]],
  ['an invalid batch that is not empty', '[1]', [[-32600, null]]],
  [
    'an invalid batch',
    '[1,2,3]',
    [
      [-32600, null],
      [-32600, null],
      [-32600, null],
    ],
  ],
  [
    'a mixed batch',
    `[{"jsonrpc": "2.0", "method": "sum", "params": {"a": 1}, "id": "${uuid}"},
      {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
      {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
      {"foo": "boo"},
      {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "${uuid}"},
      {"jsonrpc": "2.0", "method": "get_data", "id": "${uuid}"}]`,
    [
      ['ok', uuid],
      [-32600, '2'],
      [-32600, null],
      [-32601, uuid],
      ['ok', uuid],
    ],
  ],
  [
    'a batch of notifications alone',
    '[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]',
    undefined,
  ],
]

describe('the examples of JSON-RPC 2.0, section 7', () => {
  for (const [name, body, expected] of printed) {
    test(name, async () => {
      const given = await answer(body)
      assert.deepEqual(given === undefined ? undefined : codeOf(given), expected)
    })
  }
})

const decided: [name: string, body: string | Buffer, expected: unknown][] = [
  ['an empty body', '', [-32700, null]],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), [-32700, null]],
  ['a number', '1', [-32600, null]],
  ['null', 'null', [-32600, null]],
  ['jsonrpc as a number', `{"jsonrpc": 2.0, "method": "sum", "id": "${uuid}"}`, [-32600, uuid]],
  ['jsonrpc missing', `{"method": "sum", "id": "${uuid}"}`, [-32600, uuid]],
  ['jsonrpc missing and no id', '{"method": "sum"}', [-32600, null]],
  ['method missing', `{"jsonrpc": "2.0", "id": "${uuid}"}`, [-32600, uuid]],
  ['params null', `{"jsonrpc": "2.0", "method": "sum", "params": null, "id": "${uuid}"}`, [-32600, uuid]],
  ['params a string', `{"jsonrpc": "2.0", "method": "sum", "params": "x", "id": "${uuid}"}`, [-32600, uuid]],
  ['params an array', `{"jsonrpc": "2.0", "method": "sum", "params": [], "id": "${uuid}"}`, [-32600, uuid]],
  ['id null', '{"jsonrpc": "2.0", "method": "sum", "id": null}', [-32600, null]],
  ['id an object', '{"jsonrpc": "2.0", "method": "sum", "id": {}}', [-32600, null]],
  ['id a fraction', '{"jsonrpc": "2.0", "method": "sum", "id": 1.5}', [-32600, 1.5]],
  [
    'the nil uuid',
    '{"jsonrpc": "2.0", "method": "sum", "id": "00000000-0000-0000-0000-000000000000"}',
    ['ok', '00000000-0000-0000-0000-000000000000'],
  ],
  [
    'an upper-case uuid, echoed as sent',
    `{"jsonrpc": "2.0", "method": "sum", "id": "${uuid.toUpperCase()}"}`,
    ['ok', uuid.toUpperCase()],
  ],
  ['a uuid in braces', `{"jsonrpc": "2.0", "method": "sum", "id": "{${uuid}}"}`, [-32600, `{${uuid}}`]],
  ['a byte order mark before it', `\ufeff{"jsonrpc": "2.0", "method": "sum", "id": "${uuid}"}`, ['ok', uuid]],
  [
    'U+FFFD that was sent as such',
    `{"jsonrpc": "2.0", "method": "sum", "params": {"a": "\ufffd"}, "id": "${uuid}"}`,
    ['ok', uuid],
  ],
  ['a batch in a batch', '[[]]', [[-32600, null]]],
  ['unknown members of the envelope', `{"jsonrpc": "2.0", "method": "sum", "id": "${uuid}", "extra": 1}`, ['ok', uuid]],
  [
    'a member named __proto__',
    `{"jsonrpc": "2.0", "method": "sum", "id": "${uuid}", "__proto__": {"method": "x"}}`,
    ['ok', uuid],
  ],
]

describe('the envelope', () => {
  for (const [name, body, expected] of decided) {
    test(name, async () => assert.deepEqual(codeOf(await answer(body)), expected))
  }

  test('a batch of 100 is carried out in order, one of 101 not at all', async () => {
    const request = (method: string) => ({ jsonrpc: '2.0', id: uuid, method })
    heard.length = 0
    const hundred = Array.from({ length: 100 }, (_, i) => request(`m${i}`))
    assert.equal(((await answer(JSON.stringify(hundred))) as unknown[]).length, 100)
    assert.deepEqual(
      heard,
      hundred.map(({ method }) => method),
    )
    heard.length = 0
    assert.deepEqual(codeOf(await answer(JSON.stringify([...hundred, request('m100')]))), [-32600, null])
    assert.deepEqual(heard, [])
  })

  test('a notification is carried out', async () => {
    heard.length = 0
    await answer('{"jsonrpc": "2.0", "method": "update", "params": {"a": 1}}')
    assert.deepEqual(heard, ['update'])
  })

  test('whatever comes, the answer is an envelope or silence', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        ),
        async (body) => {
          const given = await answer(body)
          for (const one of given === undefined ? [] : [given].flat()) {
            assert.equal(one.jsonrpc, '2.0')
            assert.equal('result' in one, !('error' in one))
            if ('error' in one) assert.equal(typeof one.error.data, 'object')
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})
