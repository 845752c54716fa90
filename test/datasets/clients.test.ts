/** The published clients, unmodified: apify-client and the apify SDK over every call they have for data sets. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { ApifyClient, DownloadItemsFormat } from 'apify-client'
import { oneEngine } from '../support/engines.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

for (const engine of oneEngine)
  describe(`published clients on ${engine}`, () => {
    let server: TestServer
    let client: ApifyClient

    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      client = new ApifyClient({ baseUrl: server.url, publicBaseUrl: server.url, token: admin.token, maxRetries: 0 })
    })
    after(() => server.stop())

    test('apify-client makes, finds, lists, changes and removes data sets', async () => {
      const made = await client.datasets().getOrCreate('client-set', { schema: { views: {} } })
      assert.equal(made.name, 'client-set')
      assert.ok(made.createdAt instanceof Date)
      assert.equal((await client.datasets().getOrCreate('client-set')).id, made.id)
      assert.ok((await client.datasets().getOrCreate()).id)
      const listed = await client.datasets().list({ limit: 10, desc: true })
      assert.deepEqual([listed.total, listed.items[0]!.id], [1, made.id])
      assert.equal((await client.datasets().list({ unnamed: true })).total, 2)
      const found: string[] = []
      for await (const { id } of client.datasets().list({ unnamed: true, limit: 2 })) found.push(id)
      assert.equal(found.length, 2)
      const dataset = client.dataset(made.id)
      assert.equal((await dataset.get())!.itemCount, 0)
      assert.equal((await client.dataset('admin/client-set').get())!.id, made.id)
      assert.equal((await dataset.update({ name: 'renamed', title: 'Title' })).name, 'renamed')
      await dataset.delete()
      assert.equal(await dataset.get(), undefined)
      assert.equal(await dataset.getStatistics(), undefined)
      await dataset.delete()
    })

    test('apify-client pushes and reads items in every way', async () => {
      const { id } = await client.datasets().getOrCreate('client-items')
      const dataset = client.dataset<{ i: number; list?: { x: number }[] }>(id)
      await dataset.pushItems({ i: 0, '#debug': 1 } as never)
      await dataset.pushItems([{ i: 1, list: [{ x: 1 }, { x: 2 }] }, { i: 2 }, {} as never])
      await dataset.pushItems(JSON.stringify([{ i: 3, big: 'x'.repeat(50_000) }]))
      const page = await dataset.listItems({ offset: 1, limit: 2 })
      assert.deepEqual([page.total, page.offset, page.limit, page.count, page.desc], [5, 1, 2, 2, false])
      assert.deepEqual(
        page.items.map(({ i }) => i),
        [1, 2],
      )
      const clean = await dataset.listItems({ clean: true, desc: true, fields: ['i'] })
      assert.deepEqual(clean.items, [{ i: 3 }, { i: 2 }, { i: 1 }, { i: 0 }])
      assert.deepEqual([clean.desc, clean.limit], [true, 999_999_999_999])
      const unwound = await dataset.listItems({
        unwind: ['list'],
        omit: ['big'],
        skipEmpty: true,
        skipHidden: true,
        limit: 2,
      })
      assert.deepEqual(unwound.items, [{ i: 0 }, { i: 1, x: 1 }, { i: 1, x: 2 }])
      assert.deepEqual((await dataset.listItems({ flatten: ['list'], offset: 1, limit: 1 })).items, [
        { i: 1, 'list.0.x': 1, 'list.1.x': 2 },
      ])
      const all: number[] = []
      for await (const { i } of dataset.listItems({ chunkSize: 2 })) if (i !== undefined) all.push(i)
      assert.deepEqual(all, [0, 1, 2, 3])
      for (const format of Object.values(DownloadItemsFormat)) {
        const file = await dataset.downloadItems(format, {
          attachment: true,
          bom: false,
          fields: ['i'],
          skipEmpty: true,
        })
        assert.ok(file.length > 0, format)
      }
      const csv = await dataset.downloadItems(DownloadItemsFormat.CSV, {
        bom: false,
        fields: ['i'],
        delimiter: ';',
        skipHeaderRow: true,
        skipEmpty: true,
      })
      assert.equal(csv.toString(), '0\r\n1\r\n2\r\n3\r\n')
      const xml = await dataset.downloadItems(DownloadItemsFormat.XML, {
        xmlRoot: 'r',
        xmlRow: 'w',
        fields: ['i'],
        limit: 1,
      })
      assert.ok(xml.toString().endsWith('<r>\n<w><i>0</i></w>\n</r>\n'))
      const statistics = await dataset.getStatistics()
      assert.deepEqual(statistics!.fieldStatistics!.i, { min: 0, max: 3, nullCount: 0, emptyCount: 1 })
      const info = await dataset.get()
      assert.deepEqual([info!.itemCount, info!.cleanItemCount, info!.stats.writeCount], [5, 4, 3])
    })

    test('a public address made by apify-client opens the items until it expires', async () => {
      const { id } = await client.datasets().getOrCreate()
      await client.dataset(id).pushItems([{ a: 1, b: 2 }])
      const forEver = await client.dataset(id).createItemsPublicUrl({ fields: ['a'] })
      assert.equal(await (await fetch(forEver)).text(), '[{"a":1}]')
      const soon = await client.dataset(id).createItemsPublicUrl({ expiresInSecs: 60 })
      assert.equal((await fetch(soon)).status, 200)
      const over = await client.dataset(id).createItemsPublicUrl({ expiresInSecs: -60 })
      assert.equal((await fetch(over)).status, 403)
      const stranger = new ApifyClient({ baseUrl: server.url, maxRetries: 0 })
      const signature = new URL(forEver).searchParams.get('signature')!
      assert.deepEqual((await stranger.dataset(id).listItems({ signature })).items, [{ a: 1, b: 2 }])
      await assert.rejects(stranger.dataset(id).listItems(), { statusCode: 401, type: 'token-not-provided' })
    })

    test('apify-client tells errors by their type', async () => {
      const { id } = await client.datasets().getOrCreate()
      await assert.rejects(client.dataset(id).pushItems('[1]'), { statusCode: 400, type: 'invalid-value' })
      await assert.rejects(client.dataset('nothing').listItems(), { statusCode: 404, type: 'record-not-found' })
      const wrong = new ApifyClient({ baseUrl: server.url, token: 'wrong', maxRetries: 0 })
      await assert.rejects(wrong.dataset(id).listItems(), { statusCode: 401, type: 'invalid-token' })
      assert.equal((await client.user().get()).username, 'admin')
      assert.equal((await client.user('admin').get()).username, 'admin')
    })

    test('the apify SDK opens, fills, walks, exports and drops a data set', async () => {
      const environment = {
        ...process.env,
        APIFY_API_BASE_URL: server.url,
        APIFY_TOKEN: admin.token,
        APIFY_LOG_LEVEL: 'ERROR',
        CRAWLEE_STORAGE_DIR: server.database.folder,
      }
      const program = join(import.meta.dirname, 'sdk-program.ts')
      const { stdout } = await promisify(execFile)(process.execPath, [program], { env: environment })
      const { id, ...saw } = JSON.parse(stdout.trim().split('\n').at(-1)!)
      const [one, two, three] = [{ n: 1 }, { n: 2 }, { n: 3 }]
      assert.deepEqual(saw, {
        count: 3,
        newest: [three, two],
        seen: [1, 2, 3],
        doubled: [{ n: 2 }, { n: 4 }, { n: 6 }],
        sum: 6,
        exported: [one, two, three],
      })
      assert.equal(await client.dataset(id).get(), undefined)
    })
  })
