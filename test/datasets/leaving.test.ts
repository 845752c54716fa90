/** What leaves while others use it: a client in the middle of its upload or download, a data set in the middle of everything. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { makeLog } from '../../src/lib/log.ts'
import { oneEngine } from '../support/engines.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { makeApi } from './api.ts'

/** A log that keeps what was said to be our own mistake. */
function makeComplaints() {
  const complaints: string[] = []
  const log = makeLog('error', { write: (line: string) => complaints.push(line) })
  return { complaints, log }
}

for (const engine of oneEngine) {
  test(`an upload that breaks off stores nothing and is no mistake of ours on ${engine}`, async (t) => {
    const { complaints, log } = makeComplaints()
    const server = await startServer(engine, { log })
    t.after(() => server.stop())
    const api = makeApi(server)
    const id = await api.make()
    for (const encoding of ['identity', 'gzip']) {
      const { hostname, port } = new URL(server.url)
      const socket = connect(Number(port), hostname)
      const lines = [`POST /v2/datasets/${id}/items HTTP/1.1`, 'Host: x', `Authorization: Bearer ${api.token}`]
      const body = ['Expect: 100-continue', 'Content-Length: 1000', `Content-Encoding: ${encoding}`, '', '']
      socket.write([...lines, ...body].join('\r\n'))
      // The server has the head now, and reads the body that breaks off.
      await once(socket, 'data')
      socket.end('[{"a":1},')
      await once(socket.resume(), 'close')
    }
    assert.equal((await api.ask('GET', `/datasets/${id}`)).body.data.itemCount, 0)
    assert.deepEqual(complaints, [])
  })

  test(`a data set removed while it is pushed to and taken out is gone for all at once on ${engine}`, async (t) => {
    const { complaints, log } = makeComplaints()
    const server = await startServer(engine, { log, environment: { GUILDHALL_LIMITS: 'off' } })
    t.after(() => server.stop())
    const api = makeApi(server)
    const items = Array.from({ length: 300 }, (_, i) => ({ i, text: 'x'.repeat(200) }))
    for (let round = 0; round < 5; round++) {
      const id = await api.make()
      for (let i = 0; i < 4; i++) await api.push(id, items)
      let isOver = false
      let answers = 0
      const use = async (act: () => Promise<Response>) => {
        const statuses = new Set<number>()
        while (!isOver) {
          const response = await act()
          statuses.add(response.status)
          answers++
          // A download that has begun may break; one that ends is whole.
          const text = await response.text().catch(() => '')
          if (response.headers.get('content-type')?.includes('jsonl') && text !== '')
            assert.equal(text.split('\n').length - 1, Number(response.headers.get('x-data-pagination-total')))
        }
        return [...statuses]
      }
      const body = JSON.stringify(items.slice(0, 20))
      const using = [
        use(() => api.send('POST', `/datasets/${id}/items`, { body })),
        use(() => api.send('GET', `/datasets/${id}/items?format=jsonl`)),
        use(() => api.send('GET', `/datasets/${id}/items?format=csv`)),
        use(() => api.send('GET', `/datasets/${id}/statistics`)),
      ]
      await until(() => answers >= 3 * round)
      assert.equal((await api.send('DELETE', `/datasets/${id}`)).status, 204)
      const before = answers
      await until(() => answers >= before + 8)
      isOver = true
      for (const statuses of await Promise.all(using))
        assert.deepEqual(
          statuses.filter((status) => ![200, 201, 404].includes(status)),
          [],
        )
    }
    await server.services.datasets.settle()
    const left = await server.services.store.db.selectFrom('dataset_chunk').select('first_item').execute()
    assert.deepEqual(left, [])
    assert.deepEqual(
      complaints.filter((line) => !line.includes('an export broke off')),
      [],
    )
  })
}
