/** What data sets are measured against: each does the same work in the way its own documents recommend. */
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { DuckDBInstance } from '@duckdb/node-api'
import { writeXlsxStream } from 'hucre/xlsx'
import { type Peer, startScript } from '../peers.ts'

const secondsSince = (start: number) => (performance.now() - start) / 1000

export const copyByDuckDb = (from: string, to: string): Promise<number> =>
  runInDuckDb(`copy (select * from ${linesOf(from)}) to '${to}' (header)`)

export const selectByDuckDb = (from: string, condition: string, to: string): Promise<number> =>
  runInDuckDb(`copy (select * from ${linesOf(from)} where ${condition}) to '${to}' (format json)`)

const linesOf = (path: string) => `read_json('${path}', format = 'newline_delimited')`

async function runInDuckDb(statement: string): Promise<number> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const start = performance.now()
  await connection.run(statement)
  const seconds = secondsSince(start)
  connection.closeSync()
  instance.closeSync()
  return seconds
}

export async function writeByHucre(from: string, to: string): Promise<number> {
  const names = ['url', 'title', 'price', 'currency', 'inStock', 'rating', 'reviewCount', 'description', 'scrapedAt']
  async function* rows() {
    for await (const line of createInterface({ input: createReadStream(from) })) {
      const item = JSON.parse(line)
      yield [...names.map((name) => item[name]), item.seller.name, item.seller.country]
    }
  }
  const columns = [...names, 'seller/name', 'seller/country'].map((header) => ({ header }))
  const file = openSync(to, 'w')
  const start = performance.now()
  for await (const chunk of writeXlsxStream(rows(), { name: 'Items', columns })) writeSync(file, chunk)
  closeSync(file)
  return secondsSince(start)
}

/** A chunk a row, each on the disk before the next: what a push promises, without the push. */
export async function insertIntoSqlite(path: string, batches: AsyncGenerator<Buffer>): Promise<number> {
  const bodies: Buffer[] = []
  for await (const body of batches) bodies.push(body)
  const database = new DatabaseSync(path)
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table chunk (id integer primary key, lines blob)',
  )
  const insert = database.prepare('insert into chunk (lines) values (?)')
  const start = performance.now()
  for (const body of bodies) insert.run(body)
  const seconds = secondsSince(start)
  database.close()
  return seconds
}

/** The least that Node can do to send a file. */
export function startFileServer(path: string): Promise<Peer> {
  return startScript(`
    import { createReadStream } from 'node:fs'
    import { createServer } from 'node:http'
    const server = createServer((request, response) => createReadStream(${JSON.stringify(path)}).pipe(response))
    server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port))`)
}
