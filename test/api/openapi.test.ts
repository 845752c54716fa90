/** The OpenAPI documents: valid by a published validator, and true to what is served. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { routes } from '../support/forge-routes.ts'
import { makeRest } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

const require = createRequire(import.meta.url)
const readPublished = (name: string): Json =>
  JSON.parse(readFileSync(require.resolve(`@octokit/openapi/generated/${name}.json`), 'utf8'))

const methodsOf = (operations: Json): string[] => Object.keys(operations).filter((key) => key !== 'parameters')

describe('the OpenAPI documents', () => {
  let server: TestServer
  let documents: Record<string, Json>
  before(async () => {
    server = await startServer('sqlite')
    const { documents: listed } = (await makeRest(server.url).get('/-/openapi.json')).body
    documents = {}
    for (const { name, url } of listed) documents[name] = (await makeRest(server.url).get(url)).body
  })
  after(() => server.stop())

  test('there is one for each interface, and no other', async () => {
    assert.deepEqual(Object.keys(documents), ['judge', 'forge', 'datasets'])
    assert.deepEqual(
      Object.values(documents).map(({ openapi }) => openapi),
      // The contract of the judge names its version.
      ['3.0.3', '3.1.0', '3.1.0'],
    )
    const other = await makeRest(server.url).get('/-/openapi/other.json')
    assert.equal(other.status, 404)
    const { body: judge } = await makeRest(server.url).get('/-/judge/openapi.json')
    assert.deepEqual(judge, documents.judge)
  })

  for (const name of ['judge', 'forge', 'datasets']) {
    test(`that of ${name} is valid, and has an ETag`, async () => {
      const { valid, errors } = await new Validator().validate(documents[name]!)
      assert.ok(valid, JSON.stringify(errors, null, 1))
      const { headers } = await makeRest(server.url).get(`/-/openapi/${name}.json`)
      const again = await makeRest(server.url).get(`/-/openapi/${name}.json`, { 'if-none-match': headers.get('etag')! })
      assert.deepEqual([again.status, again.text], [304, ''])
    })
  }

  test('every id, path and parameter of a path is there once', () => {
    for (const name of ['forge', 'datasets']) {
      const ids = new Set<string>()
      const outlines = new Set<string>()
      for (const [path, operations] of Object.entries(documents[name]!.paths as Json)) {
        const outline = path.replace(/\{\w+\}/g, '{}')
        assert.ok(!outlines.has(outline), path)
        outlines.add(outline)
        for (const method of methodsOf(operations)) {
          const { operationId, parameters, tags } = (operations as Json)[method]
          assert.ok(!ids.has(operationId), operationId)
          ids.add(operationId)
          assert.ok(
            documents[name]!.tags.some(({ name: tag }: Json) => tag === tags[0]),
            operationId,
          )
          const named = parameters.filter((one: Json) => one.in === 'path').map((one: Json) => `{${one.name}}`)
          assert.deepEqual(named, path.match(/\{\w+\}/g) ?? [], `${method} ${path}`)
        }
      }
    }
  })

  test('the forge’s has every route by its id, with its method and path', () => {
    const described = Object.entries(documents.forge!.paths as Json).flatMap(([path, operations]) =>
      methodsOf(operations).map((method) => [
        (operations as Json)[method].operationId,
        `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`,
      ]),
    )
    const declared = routes.map(({ id, method, path }) => [id, `${method} ${path.replace(/:\w+|\*/g, '{}')}`])
    assert.deepEqual(described.sort(), declared.sort())
  })

  test('where the published description has a path and method of the forge, the parameters of the path are its own', () => {
    const published = ['api.github.com', 'ghes-3.19'].map(readPublished)
    const ours = documents.forge!.paths as Json
    let compared = 0
    for (const document of published) {
      for (const [path, operations] of Object.entries(document.paths as Json)) {
        const same = Object.keys(ours).find((each) => each.replace(/\{\w+\}/g, '{}') === path.replace(/\{\w+\}/g, '{}'))
        for (const method of same ? methodsOf(operations) : []) {
          const operation = ours[same!][method]
          if (!operation) continue
          const resolve = (one: Json): Json =>
            one.$ref ? document.components.parameters[one.$ref.split('/').at(-1)] : one
          const list = (parameters: Json[]) =>
            parameters
              .map(resolve)
              .filter((one) => one.in === 'path')
              .map((one) => `${one.name}: ${one.schema.type ?? 'any'}`)
              .sort()
          assert.equal(same, path, `${method} ${path}`)
          assert.deepEqual(
            list(operation.parameters),
            list((operations as Json)[method].parameters ?? []),
            `${method} ${path}`,
          )
          compared++
        }
      }
    }
    assert.ok(compared > 600, String(compared))
  })

  test('the data sets’ has every address with the methods that it takes, and every parameter', async () => {
    const rest = makeRest(server.url, admin.token)
    const { body: made } = await rest.post('/v2/datasets?name=described', {})
    for (const [path, operations] of Object.entries(documents.datasets!.paths as Json)) {
      const address = path.replace('{datasetId}', made.data.id).replace('{userId}', 'admin')
      const { status, headers } = await rest.ask('PATCH', address, {})
      assert.equal(status, 405, path)
      const taken = headers
        .get('allow')!
        .toLowerCase()
        .split(', ')
        .filter((method) => method !== 'head')
      assert.deepEqual(methodsOf(operations).sort(), taken.sort(), path)
      for (const method of methodsOf(operations)) {
        if (path.endsWith('/live')) continue
        const names = (operations as Json)[method].parameters.filter((one: Json) => one.in === 'query')
        const query = names.map(({ name }: Json) => `${name}=`).join('&')
        const answer = await rest.ask(
          method === 'delete' ? 'GET' : method.toUpperCase(),
          `${address}?${query}`,
          method === 'get' || method === 'delete' ? undefined : {},
        )
        assert.equal(answer.headers.get('x-data-unknown-parameters'), null, `${method} ${path}`)
      }
    }
  })
})
