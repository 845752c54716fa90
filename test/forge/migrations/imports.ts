/** Imports for tests: handed in, and awaited. */
import assert from 'node:assert/strict'
import type { RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'

export async function handIn(root: RestClient, archive: Buffer, query = '', url?: string): Promise<Json> {
  const response = await fetch(`${url ?? root.url}/admin/imports${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${root.token}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(archive),
  })
  const body = (await response.json()) as Json
  assert.equal(response.status, 202, JSON.stringify(body))
  assert.equal(response.headers.get('location'), body.url)
  return body
}

export async function awaitImport(root: RestClient, id: number): Promise<Json> {
  let found: Json
  await until(async () => {
    found = (await root.get(`/admin/imports/${id}`)).body
    return ['imported', 'previewed', 'failed'].includes(found.state)
  }, 20)
  return found
}

export async function importAll(root: RestClient, archive: Buffer, query = ''): Promise<Json> {
  const { id } = await handIn(root, archive, query)
  return awaitImport(root, id)
}
