/** A program as people write them with the apify SDK; it prints what it saw as one line of JSON. */
import { Actor } from 'apify'

await Actor.init()
const dataset = await Actor.openDataset('sdk-set', { forceCloud: true })
await dataset.pushData([{ n: 1 }, { n: 2 }])
await dataset.pushData({ n: 3 })
const newest = (await dataset.getData({ limit: 2, desc: true })).items
const info = await dataset.getInfo()
const seen: unknown[] = []
await dataset.forEach(async ({ n }) => {
  seen.push(n)
})
const doubled = await dataset.map(async ({ n }) => ({ n: n * 2 }))
const sum = await dataset.reduce(async (total, { n }) => (total as number) + n, 0)
const exported = await dataset.export()
await dataset.drop()
process.stdout.write(
  `${JSON.stringify({ id: dataset.id, count: info!.itemCount, newest, seen, doubled, sum, exported })}\n`,
)
await Actor.exit({ exit: false })
