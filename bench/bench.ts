/** `npm run bench [NAME …]`: ratios against peers that run beside us, never bare seconds; these machines are noisy. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describeRow, printTable, type Row } from './table.ts'

/** Each file beside this one that exports `bench` is one, named by its file. Rows of one that yields them are told as they are known. */
export type Bench = () => Promise<readonly Row[]> | AsyncIterable<Row>

const parts = ['answer-counter.ts', 'bench.ts', 'table.ts', 'load.ts', 'peers.ts', 'submissions.ts', 'options.ts']
const names = globSync('*.ts', { cwd: import.meta.dirname })
  .filter((file) => !parts.includes(file))
  .map((file) => file.slice(0, -'.ts'.length))
  .sort()
/** A word after `--option` is its value. */
const asked = process.argv.slice(2).filter((word, at, all) => !word.startsWith('-') && !all[at - 1]?.startsWith('--'))
const unknown = asked.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`guildhall: there is no bench named ${unknown.join(', ')}; there are ${names.join(', ')}.\n`)
  process.exit(1)
}

/** These take as long as they are told to, so they run when they are named. */
const longOnes = ['chaos', 'contest', 'mutants', 'soak', 'neighbours']

for (const name of asked.length > 0 ? asked : names.filter((one) => !longOnes.includes(one))) {
  process.stderr.write(`bench: ${name} …\n`)
  const { bench } = (await import(join(import.meta.dirname, `${name}.ts`))) as { bench: Bench }
  await runBench(name, bench)
}
process.exit()

/** What was known before a failure is printed as well. */
async function runBench(name: string, bench: Bench): Promise<void> {
  const begun = bench()
  if (!(Symbol.asyncIterator in begun)) return printTable(name, await begun)
  const rows: Row[] = []
  try {
    for await (const row of begun) {
      rows.push(row)
      process.stderr.write(`bench: ${name}: ${describeRow(row)}\n`)
    }
  } finally {
    if (rows.length > 0) printTable(name, rows)
  }
}
