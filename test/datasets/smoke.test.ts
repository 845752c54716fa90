import { test } from 'node:test'
import { engines } from '../support/engines.ts'
import { admin, startServer } from '../support/server.ts'
for (const engine of engines) test(`smoke ${engine}`, async () => {
  const s = await startServer(engine)
  const h = { authorization: `Bearer ${admin.token}` }
  const d = await (await fetch(`${s.url}/v2/datasets?name=abc`, { method: 'POST', headers: h })).json() as any
  console.log(d)
  const id = d.data.id
  const p = await fetch(`${s.url}/v2/datasets/${id}/items`, { method: 'POST', headers: h, body: JSON.stringify([{ a: 1, b: { c: 'x,y' }, '#h': 2 }, {}, { a: -0, t: 'q"<&' }]) })
  console.log(p.status, await p.text())
  for (const f of ['json', 'jsonl', 'csv', 'html', 'xml', 'rss', 'xlsx']) for (const clean of [0,1]) {
    const r = await fetch(`${s.url}/v2/datasets/${id}/items?format=${f}&clean=${clean}`, { headers: h })
    console.log(f, r.status, f === 'xlsx' ? (await r.arrayBuffer()).byteLength : await r.text())
    if (f === 'json') console.log(r.headers)
  }
  console.log(await (await fetch(`${s.url}/v2/datasets/${id}/statistics`, { headers: h })).text())
  console.log(await (await fetch(`${s.url}/v2/datasets/${id}`, { headers: h })).text())
  console.log(await (await fetch(`${s.url}/v2/datasets?limit=1`, { headers: h })).text())
  console.log(await (await fetch(`${s.url}/v2/users/me`, { headers: h })).text())
  console.log((await fetch(`${s.url}/v2/datasets/${id}`, { method: 'DELETE', headers: h })).status)
  await s.stop()
})
