/** Attachments: who may send and see them, and that none of them takes a page over. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeRest } from '../../support/rest.ts'
import { type GitServer, startGitServer } from '../git-server.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('attachments', () => {
  let { server, ann, bob, start, stop } = {} as GitServer
  before(async () => {
    const environment = { GUILDHALL_FILE_LIMITS: 'attachmentMib=1,attachmentMibPerUser=3,attachmentMibPerRepository=2' }
    ;({ server, ann, bob, start, stop } = await startGitServer('sqlite', { environment }))
  })
  after(() => stop())

  async function send(repo: string, name: string, body: string | Buffer, { token } = ann) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/html' }
    const url = `${server.url}/repos/ann/${repo}/attachments?name=${encodeURIComponent(name)}`
    const response = await fetch(url, { method: 'POST', headers, body: body as unknown as string })
    return { status: response.status, body: JSON.parse(await response.text()) }
  }
  const get = (url: string, token?: string) =>
    fetch(url, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })

  test('are shown where they are harmless images, and saved else, whatever they say they are', async () => {
    await start('shown')
    const image = await send('shown', 'dot.png', png)
    assert.equal(image.status, 201)
    const shown = await get(image.body.url)
    assert.equal(shown.status, 200)
    assert.ok(Buffer.from(await shown.arrayBuffer()).equals(png))
    assert.equal(shown.headers.get('content-type'), 'image/png')
    assert.match(shown.headers.get('content-disposition')!, /^inline/)
    for (const [name, text] of [
      ['page.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
      ['notes.txt', '<script>alert(1)</script>'],
      ['p.pdf', '%PDF-1.4'],
    ] as const) {
      const { body } = await send('shown', name, text)
      const response = await get(body.url)
      assert.equal(response.headers.get('content-type'), 'application/octet-stream', name)
      assert.match(response.headers.get('content-disposition')!, /^attachment/, name)
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
      assert.match(response.headers.get('content-security-policy')!, /sandbox/)
      await response.arrayBuffer()
    }
    const part = await fetch(image.body.url, { headers: { range: 'bytes=1-3' } })
    assert.deepEqual([part.status, await part.text()], [206, 'PNG'])
  })

  test('are of some kinds, and what they are called', async () => {
    await start('kinds')
    for (const [name, body] of [
      ['page.html', '<html>'],
      ['run.exe', 'MZ'],
      ['none', 'x'],
      ['a.png', '<html>'],
      ['a.jpg', png],
      ['empty.txt', ''],
      ['', 'x'],
      ['..', 'x'],
    ] as const)
      assert.equal((await send('kinds', name, body)).status, 422, name)
    const { body } = await send('kinds', '../a/<b>".png', png)
    assert.equal(body.name, 'a.b..png')
  })

  test('of a private repository are for those who read it', async () => {
    await start('secret', true)
    assert.equal((await send('secret', 'a.txt', 'x', bob)).status, 404)
    const { body } = await send('secret', 'a.txt', 'hidden')
    assert.equal((await get(body.url)).status, 404)
    assert.equal((await get(body.url, bob.token)).status, 404)
    assert.equal(await (await get(body.url, ann.token)).text(), 'hidden')
    await start('open')
    const open = await send('open', 'a.txt', 'by bob', bob)
    assert.equal(open.status, 201, 'who may comment may attach')
    assert.equal((await get(open.body.url)).status, 200)
    const part = await fetch(open.body.url, { headers: { range: 'bytes=3-4' } })
    assert.deepEqual([part.status, await part.text()], [206, 'bo'])
    const changed = await fetch(open.body.url, { headers: { range: 'bytes=3-4', 'if-range': '"another"' } })
    assert.deepEqual([changed.status, await changed.text()], [200, 'by bob'])
    await ann.patch('/repos/ann/open', { private: true })
    assert.equal((await get(open.body.url)).status, 404)
    assert.equal((await get(open.body.url, bob.token)).status, 404)
    const unsigned = await makeRest(server.url).ask('POST', '/repos/ann/shown/attachments?name=a.txt', 'x')
    assert.equal(unsigned.status, 401)
    for (const path of ['/-/attachments/x/y', `/-/attachments/${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}/y`])
      assert.equal((await ann.get(path)).status, 404)
  })

  test('have a size, and quotas by account and by repository', async () => {
    const almost = 'x'.repeat(900_000)
    await start('full')
    assert.equal((await send('full', 'a.txt', 'x'.repeat(1024 * 1024 + 1))).status, 413)
    assert.equal((await send('full', 'a.txt', almost)).status, 201)
    assert.equal((await send('full', 'a.txt', almost)).status, 201)
    assert.equal((await send('full', 'a.txt', almost)).status, 403, 'the repository is full')
    await start('fuller')
    assert.equal((await send('fuller', 'a.txt', almost)).status, 201)
    assert.equal((await send('fuller', 'a.txt', almost)).status, 403, 'so is the account')
  })
})
