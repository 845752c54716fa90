/** What anybody would write in an afternoon: lines, `JSON.parse`, flatten, join. Prints its seconds, by the clock and of the processor. */
import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'

const [from = '', to = ''] = process.argv.slice(2)

type Flat = { [column: string]: unknown }

function flatten(value: unknown, path: string, into: Flat): void {
  if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) flatten(inner, path === '' ? name : `${path}/${name}`, into)
  else into[path] = value
}

const quote = (value: unknown): string => {
  const text = value === null || value === undefined ? '' : String(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

async function writeCsv(): Promise<void> {
  const rows: Flat[] = []
  const columns = new Set<string>()
  for await (const line of createInterface({ input: createReadStream(from) })) {
    const row: Flat = {}
    flatten(JSON.parse(line), '', row)
    for (const name in row) columns.add(name)
    rows.push(row)
  }
  const names = [...columns].sort()
  const file = createWriteStream(to)
  file.write(`${names.map(quote).join(',')}\r\n`)
  for (let i = 0; i < rows.length; i += 1000)
    file.write(
      rows
        .slice(i, i + 1000)
        .map((row) => `${names.map((name) => quote(row[name])).join(',')}\r\n`)
        .join(''),
    )
  await new Promise<void>((resolve) => file.end(resolve))
}

const start = performance.now()
const before = process.cpuUsage()
await writeCsv()
const { user, system } = process.cpuUsage(before)
process.stdout.write(JSON.stringify({ seconds: (performance.now() - start) / 1000, cpuSeconds: (user + system) / 1e6 }))
