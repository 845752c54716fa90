/** `contest export CONTEST`: writes a contest as a contest package of the ICPC, as far as the caller may see it. */
import { OperatorError } from '../../lib/failure.ts'
import { ZipFrame } from '../../lib/zip/zip-frame.ts'
import { defineCommand } from '../command-line/command.ts'
import { remoteOptions } from '../command-line/remote.ts'
import { writeFileWhole } from '../dataset/output-file.ts'
import { fetchPackage } from '../judge/packages.ts'
import { type JudgeServer, judgeOf } from '../judge/server.ts'

type Row = Readonly<Record<string, unknown>> & { readonly id: string }
type FileRef = { readonly href: string; readonly filename: string }

const mode = 0o644

export const contestExport = defineCommand({
  name: 'contest export',
  summary: 'Writes a contest as a contest package (ICPC): what it is made of, and what happened in it.',
  words: ['CONTEST'],
  options: {
    ...remoteOptions,
    output: {
      type: 'string',
      hint: 'FILE',
      sentence: 'The file to write once the export is complete; CONTEST.zip by default.',
    },
  },
  notes: [
    'It has what you can see: for the jury everything except passwords and the packages of other people’s problems.',
  ],
  async run({ words: [id = ''], options, environment }) {
    const judge = judgeOf(options, environment)
    const path = options.output ?? `${id}.zip`
    const notes: string[] = []
    const count = await writeFileWhole(path, async ({ write }) => {
      const frame = new ZipFrame()
      let files = 0
      for await (const [name, content] of listFiles(judge, id, notes)) {
        await write(frame.add(name, content, mode))
        files++
      }
      await write(frame.finish())
      return files
    })
    process.stderr.write(`${count} files, in ${path}.\n`)
    for (const note of notes) process.stderr.write(`  - ${note}\n`)
  },
})

async function* listFiles(judge: JudgeServer, id: string, notes: string[]): AsyncGenerator<[string, string | Buffer]> {
  const place = `contests/${encodeURIComponent(id)}`
  const write = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  yield ['api.json', write(await fetchJson(judge, ''))]
  yield ['contest.json', write(await fetchJson(judge, place))]
  const { endpoints } = (await fetchJson(judge, `${place}/access`)) as { endpoints: { type: string }[] }
  const packages = await listPackages(judge, id)
  for (const { type } of endpoints) {
    if (type === 'contest') continue
    if (type === 'event-feed') {
      yield ['event-feed.ndjson', await readFeed(judge, `${place}/event-feed`)]
      continue
    }
    const rows = (await fetchJson(judge, `${place}/${type}`)) as Row[]
    if (type !== 'problems') yield [`${type}.json`, write(rows)]
    else {
      const problems: object[] = []
      for (const row of rows) {
        const zip = await readPackage(judge, packages.get(row.id), notes)
        const filename = `${row.id}.zip`
        problems.push(zip ? { ...row, package: [{ filename, mime: 'application/zip' }] } : row)
        if (zip) yield [`problems/${row.id}/${filename}`, zip]
      }
      yield ['problems.json', write(problems)]
    }
    if (Array.isArray(rows))
      for (const row of rows)
        for (const { href, filename } of filesOf(row))
          yield [`${type}/${row.id}/${filename.replaceAll('/', '_')}`, await fetchFile(judge, href)]
  }
}

const filesOf = (row: Row): FileRef[] =>
  ['statement', 'attachments', 'files'].flatMap((name) => (Array.isArray(row[name]) ? (row[name] as FileRef[]) : []))

/** By the problem's ID in the contest. */
async function listPackages({ call }: JudgeServer, ID: string): Promise<Map<string, { UUID: string; Label: string }>> {
  const { Contest } = await call('get_contest', { ID })
  return new Map(Contest.ProblemList.map((one: { ID: string; UUID: string; Label: string }) => [one.ID, one]))
}

async function readPackage(
  judge: JudgeServer,
  problem: { UUID: string; Label: string } | undefined,
  notes: string[],
): Promise<Buffer | undefined> {
  if (!problem) return undefined
  try {
    const { response } = await fetchPackage(judge, problem.UUID)
    return Buffer.from(await response.arrayBuffer())
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    notes.push(`Problem ${problem.Label} is without its package: ${error.message}`)
    return undefined
  }
}

async function send({ server }: JudgeServer, path: string, signal?: AbortSignal): Promise<Response> {
  const response = await server.send('GET', `/api/${path}`, signal && { signal })
  if (response.ok) return response
  const { message } = (await response.json().catch(() => ({}))) as { message?: string }
  throw new OperatorError(message ?? `The server answered ${response.status} to /api/${path}.`)
}

const fetchJson = async (judge: JudgeServer, path: string): Promise<unknown> => (await send(judge, path)).json()
const fetchFile = async (judge: JudgeServer, href: string): Promise<Buffer> =>
  Buffer.from(await (await send(judge, href)).arrayBuffer())

/** Reads the feed as far as it goes now: its initial part ends with the state. */
async function readFeed(judge: JudgeServer, path: string): Promise<string> {
  const leaving = new AbortController()
  const response = await send(judge, path, leaving.signal)
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true })
    if (/(?:^|\n)\{"type":"state"[^\n]*\n/.test(text)) break
  }
  leaving.abort()
  return text.slice(0, text.lastIndexOf('\n') + 1)
}
