/** The examples of a problem from the samples of its package, as the statement shows them. */
import type { Limits } from '../../limits.ts'
import type { Example } from '../../problems/problem-row.ts'
import { inByteOrder } from '../byte-order.ts'
import { readText } from '../package-files.ts'
import type { PackageReading } from '../packaged-problem.ts'
import type { TestFiles } from './test-files.ts'

export async function readExamples(
  { files, notes }: PackageReading,
  samples: readonly TestFiles[],
  limits: Limits,
): Promise<Example[]> {
  const present = new Set(files.paths)
  const interactions = files.paths.filter((path) => /^data\/sample\/.*\.interaction$/.test(path))
  const names = new Set([
    ...samples.map(({ name }) => name),
    ...interactions.map((path) => path.slice('data/'.length, -'.interaction'.length)),
  ])
  const examples: Example[] = []
  for (const name of inByteOrder([...names], (name) => name)) {
    const base = `data/${name}`
    const read = async (endings: readonly string[]) => {
      const path = endings.map((ending) => base + ending).find((one) => present.has(one))
      return path === undefined ? '' : (await readText(files, path)).toString()
    }
    const example = present.has(`${base}.interaction`)
      ? readInteraction(await read(['.interaction']))
      : { input: await read(['.in.statement', '.in']), output: await read(['.ans.statement', '.out', '.ans']) }
    const isShort = example.input.length <= limits.exampleLength && example.output.length <= limits.exampleLength
    if (isShort && examples.length < limits.examples) examples.push(example)
    else
      notes.push(
        `${base}.in is a test case but no example: an example can have at most ${limits.exampleLength} characters, and a problem at most ${limits.examples} examples.`,
      )
  }
  return examples
}

/** The judge's lines on the left, the program's on the right, in order of time. */
function readInteraction(text: string): Example {
  const lines = text.trimEnd().split('\n')
  const side = (mark: string) =>
    `${lines.map((line) => (line.startsWith(mark) ? line.slice(1).trim() : '')).join('\n')}\n`
  return { input: side('<'), output: side('>') }
}
