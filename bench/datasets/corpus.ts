/** The items of the bench: as a shop's pages would give them, about 290 bytes each, in a file of lines. */

import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'

export type Corpus = {
  readonly path: string
  readonly count: number
  /** Bodies of 100 items each. */
  batches(): AsyncGenerator<Buffer>
}

const words = 'amber basalt cedar delta ember fjord granite harbor island juniper kelp lagoon meadow nectar onyx'.split(
  ' ',
)
const word = (i: number) => words[i % words.length]

const makeItem = (i: number) => ({
  url: `https://shop.example.com/products/${word(i)}-${word(i * 7 + 3)}-${i}`,
  title: `${word(i * 3)} ${word(i * 5 + 1)}, model ${i % 977}`,
  price: (i % 10_007) / 100,
  currency: ['EUR', 'USD', 'CZK'][i % 3],
  inStock: i % 4 !== 0,
  rating: (i % 50) / 10,
  reviewCount: i % 1931,
  description: i % 11 === 0 ? `A "${word(i)}" thing\nof two lines` : `A ${word(i)} thing of ${word(i * 13)}`,
  seller: { name: `${word(i * 11)} trading`, country: 'DE' },
  scrapedAt: new Date(1_760_000_000_000 + i * 1000).toISOString(),
})

export async function makeCorpus(path: string, count: number): Promise<Corpus> {
  const file = createWriteStream(path)
  for (let i = 0; i < count; i += 1000) {
    let text = ''
    for (let j = i; j < Math.min(i + 1000, count); j++) text += `${JSON.stringify(makeItem(j))}\n`
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
  return { path, count, batches: () => readBatches(path) }
}

export async function* readBatches(path: string): AsyncGenerator<Buffer> {
  let rest = ''
  let lines: string[] = []
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop()!
    lines.push(...parts)
    while (lines.length >= 100) {
      yield Buffer.from(`[${lines.slice(0, 100).join(',')}]`)
      lines = lines.slice(100)
    }
  }
  if (lines.length > 0) yield Buffer.from(`[${lines.join(',')}]`)
}
