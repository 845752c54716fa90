/** Items of twelve shapes, the same for the same seed: six that try a reader, and six as real sources give them. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

/** Draws numbers that look random and are the same each time (mulberry32). */
class Draw {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  below(limit: number): number {
    return Math.floor(this.fraction() * limit)
  }

  may(share: number): boolean {
    return this.fraction() < share
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  word(): string {
    return this.of(words)
  }

  text(count: number): string {
    return Array.from({ length: count }, () => this.word()).join(' ')
  }

  list<T>(most: number, make: (i: number) => T): T[] {
    return Array.from({ length: this.below(most + 1) }, (_, i) => make(i))
  }

  hex(length: number): string {
    let text = ''
    while (text.length < length) text += this.below(0x10000000).toString(16).padStart(7, '0')
    return text.slice(0, length)
  }

  time(): string {
    return new Date(1_700_000_000_000 + this.below(40_000_000) * 1000).toISOString()
  }
}

const words =
  'amber basalt cedar delta ember fjord granite harbor island juniper kelp lagoon meadow nectar onyx pebble quartz reed sierra tundra umbra vale willow yarrow zephyr café naïve straße 北京 Žižkov'.split(
    ' ',
  )

type MakeItem = (i: number, draw: Draw) => object

export const shapes: { readonly [name: string]: MakeItem } = {
  uniform: (i, draw) => ({
    id: i,
    name: draw.text(3),
    price: draw.below(100_000) / 100,
    inStock: draw.may(0.7),
    url: `https://shop.example.com/${draw.word()}/${draw.word()}-${i}?from=list&page=${i % 97}`,
  }),

  ragged: (i, draw) => ({
    id: i,
    tags: draw.list(6, () => draw.word()),
    ...(draw.may(0.6) && {
      seller: { name: draw.text(2), address: { city: draw.word(), zip: String(draw.below(99_999)) } },
    }),
    offers: draw.list(4, () => ({ price: draw.below(10_000) / 100, ...(draw.may(0.5) && { note: draw.text(3) }) })),
    ...(draw.may(0.3) && { rating: draw.below(50) / 10 }),
    '#debug': { requestId: draw.hex(12), retries: draw.below(3) },
  }),

  sparse: (i, draw) => {
    const item: { [name: string]: unknown } = { id: i }
    const fields = Array.from({ length: 40 }, (_, j) => j)
    for (let k = 0; k < 16; k++) {
      const [field] = fields.splice(draw.below(fields.length), 1)
      item[`field${field}`] = field! % 3 === 0 ? draw.below(1_000_000) : draw.text(1 + (field! % 3))
    }
    return item
  },

  events: (i, draw) => {
    const kind = draw.below(3)
    const base = { at: draw.time(), session: draw.hex(16) }
    if (kind === 0) return { type: 'view', ...base, page: `/${draw.word()}/${draw.word()}`, ms: draw.below(9_000) }
    if (kind === 1)
      return {
        type: 'order',
        ...base,
        total: draw.below(90_000) / 100,
        lines: [{ sku: `S${i}`, count: 1 + draw.below(4) }],
      }
    return {
      type: 'error',
      ...base,
      message: draw.text(8),
      stack: draw.list(4, () => `${draw.word()}.ts:${draw.below(900)}`),
    }
  },

  wide: (i, draw) => {
    const item: { [name: string]: unknown } = { row: i }
    for (let j = 1; j < 120; j++)
      item[`column_${j}`] = j % 4 === 0 ? draw.word() : draw.below(100_000) / (j % 3 ? 1 : 10)
    return item
  },

  texts: (i, draw) => ({
    id: i,
    title: `"${draw.word()}" and ${draw.text(5)}`,
    body: draw.list(12, () => `${draw.text(12)}, he said "${draw.text(3)}".\n`).join('\n'),
    note: `${draw.text(4)}\t${draw.text(4)} \\ ${draw.text(2)}`,
  }),

  github: (i, draw) => ({
    id: String(40_000_000_000 + i),
    type: draw.of(['PushEvent', 'WatchEvent', 'IssuesEvent', 'PullRequestEvent', 'CreateEvent']),
    actor: makeActor(draw),
    repo: {
      id: draw.below(900_000_000),
      name: `${draw.word()}/${draw.word()}`,
      url: `https://api.github.com/repos/${draw.word()}/${draw.word()}`,
    },
    payload: makePayload(draw),
    public: true,
    created_at: draw.time(),
    ...(draw.may(0.3) && { org: makeActor(draw) }),
  }),

  npm: (_i, draw) => {
    const dependencies = () =>
      Object.fromEntries(
        draw.list(12, () => [`@${draw.word()}/${draw.word()}`, `^${draw.below(9)}.${draw.below(20)}.0`]),
      )
    return {
      _id: `${draw.word()}-${draw.word()}@${draw.below(9)}.${draw.below(30)}.${draw.below(9)}`,
      name: `${draw.word()}-${draw.word()}`,
      description: draw.text(9),
      keywords: draw.list(8, () => draw.word()),
      author: draw.may(0.5) ? { name: draw.text(2), email: `${draw.word()}@example.com` } : draw.text(2),
      license: 'MIT',
      dependencies: dependencies(),
      ...(draw.may(0.5) && { devDependencies: dependencies() }),
      repository: { type: 'git', url: `git+https://example.com/${draw.word()}/${draw.word()}.git` },
      scripts: { test: 'node --test', build: `tsc -p . && node build/${draw.word()}.js` },
      dist: { shasum: draw.hex(40), unpackedSize: draw.below(9_000_000), fileCount: draw.below(400) },
    }
  },

  osm: (i, draw) => ({
    type: 'Feature',
    id: `way/${100_000_000 + i}`,
    properties: Object.fromEntries([
      ...draw.list(6, () => [draw.of(osmTags), draw.word()]),
      ['name', draw.text(2)],
      ['timestamp', draw.time()],
    ]),
    geometry: {
      type: 'LineString',
      coordinates: Array.from({ length: 2 + draw.below(10) }, () => [14 + draw.fraction(), 50 + draw.fraction()]),
    },
  }),

  logs: (i, draw) => ({
    time: draw.time(),
    level: draw.of([20, 30, 40, 50]),
    pid: 4_211,
    hostname: `web-${draw.below(8)}`,
    reqId: `req-${i.toString(36)}`,
    req: {
      method: draw.of(['GET', 'POST']),
      url: `/${draw.word()}/${draw.below(9_999)}?q=${draw.word()}`,
      remoteAddress: `10.0.${draw.below(255)}.${draw.below(255)}`,
    },
    res: { statusCode: draw.of([200, 200, 200, 304, 404, 500]) },
    responseTime: draw.fraction() * 400,
    msg: draw.may(0.1)
      ? `failed: ${draw.text(6)}\n    at ${draw.word()} (file.js:${draw.below(400)}:7)`
      : 'request completed',
  }),

  products: (i, draw) => ({
    sku: `P-${i}-${draw.hex(6)}`,
    gtin: String(4_000_000_000_000 + draw.below(999_999_999)),
    title: { en: draw.text(5), ...(draw.may(0.5) && { de: draw.text(5) }), ...(draw.may(0.3) && { cs: draw.text(5) }) },
    description: `<p>${draw.text(20)}</p><ul><li>${draw.text(3)}</li></ul>`,
    price: { amount: draw.below(100_000) / 100, currency: draw.of(['EUR', 'USD', 'CZK']) },
    images: draw.list(5, () => ({ url: `https://img.example.com/${draw.hex(20)}.jpg`, width: 800, height: 600 })),
    attributes: draw.list(6, () => ({ name: draw.word(), value: draw.text(2) })),
    stock: draw.may(0.2) ? null : draw.below(500),
  }),

  chats: (i, draw) => ({
    id: i,
    type: 'message',
    date: draw.time(),
    from: draw.text(2),
    from_id: `user${draw.below(5_000)}`,
    text: draw.may(0.6)
      ? `${draw.text(9)} 😀`
      : [draw.text(4), { type: 'link', text: `https://${draw.word()}.example/` }, ` ${draw.text(3)}`],
    ...(draw.may(0.3) && { reply_to_message_id: draw.below(i + 1) }),
    ...(draw.may(0.2) && { photo: `photos/photo_${i}.jpg`, width: 1280, height: 720 }),
    ...(draw.may(0.25) && {
      reactions: draw.list(3, () => ({ type: 'emoji', count: 1 + draw.below(9), emoji: draw.of(['👍', '❤', '🔥']) })),
    }),
  }),
}

const osmTags = 'highway surface maxspeed lanes oneway lit sidewalk bicycle foot ref source bridge layer width'.split(
  ' ',
)

const makeActor = (draw: Draw) => {
  const login = `${draw.word()}${draw.below(9_999)}`
  return { id: draw.below(90_000_000), login, gravatar_id: '', url: `https://api.github.com/users/${login}` }
}

const makePayload = (draw: Draw) =>
  draw.may(0.5)
    ? {
        push_id: draw.below(2_000_000_000),
        ref: `refs/heads/${draw.word()}`,
        head: draw.hex(40),
        commits: draw.list(3, () => ({
          sha: draw.hex(40),
          author: { email: `${draw.word()}@example.com`, name: draw.text(2) },
          message: `${draw.text(6)}\n\n${draw.text(10)}`,
          distinct: true,
        })),
      }
    : { action: draw.of(['started', 'opened', 'closed']), number: draw.below(9_000) }

export type ShapeCorpus = { readonly path: string; readonly count: number; readonly bytes: number }

/** Writes a file of lines. */
export async function writeShape(name: string, path: string, count: number): Promise<ShapeCorpus> {
  const draw = new Draw(0x9e3779b9)
  const file = createWriteStream(path)
  let bytes = 0
  for (let i = 0; i < count; ) {
    let text = ''
    for (const end = Math.min(i + 500, count); i < end; i++) text += `${JSON.stringify(shapes[name]!(i, draw))}\n`
    const part = Buffer.from(text)
    bytes += part.length
    if (!file.write(part)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
  return { path, count, bytes }
}
