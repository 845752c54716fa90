/** Which lines of the source each test file runs, read from the coverage that Node writes of its process. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Mutant } from './draw.ts'

type Range = { readonly startOffset: number; readonly endOffset: number; readonly count: number }
type Script = { readonly url: string; readonly functions: readonly { readonly ranges: readonly Range[] }[] }
/** By source file: its text's digest, and the lines that ran, as a text of `1` and `0`. */
type Lines = Record<string, readonly [digest: string, lines: string]>

export type Reach = ReturnType<typeof makeReach>

/** The memory of a run outlives it: `folder` holds a file for each test file. */
export function makeReach(root: string, folder: string) {
  const known = new Map<string, Lines>()
  const pathOf = (test: string) => join(folder, `${test.replaceAll('/', '+')}.json`)
  const texts = new Map<string, { text: string; digest: string }>()
  const sourceOf = (file: string) => {
    const text = texts.get(file)?.text ?? readFileSync(join(root, file), 'utf8')
    const source = { text, digest: createHash('sha256').update(text).digest('hex').slice(0, 12) }
    texts.set(file, source)
    return source
  }
  const find = (test: string): Lines | undefined => {
    if (!known.has(test) && existsSync(pathOf(test))) known.set(test, JSON.parse(readFileSync(pathOf(test), 'utf8')))
    return known.get(test)
  }

  return {
    /** Undefined where that test was not run since the file was changed. */
    reaches(test: string, { file, line }: Mutant): boolean | undefined {
      const lines = find(test)
      if (!lines) return undefined
      const found = lines[file]
      if (!found) return false
      return found[0] === sourceOf(file).digest ? found[1][line - 1] === '1' : undefined
    },

    /** Notes what the tests of one run ran in `copy`, in which `planted` has another text than here. */
    note(copy: string, coverage: string, planted: Mutant): void {
      for (const name of readdirSync(coverage)) {
        const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as { result: readonly Script[] }
        const scripts = result
          .filter(({ url }) => url.startsWith('file:'))
          .map((script) => ({ ...script, file: relative(copy, fileURLToPath(script.url)) }))
        const test = scripts.find(({ file }) => /^test\/.*\.test\.ts$/.test(file))?.file
        if (!test) continue
        const lines: Record<string, readonly [string, string]> = {}
        for (const { file, functions } of scripts) {
          if (!/^src\/.*\.ts$/.test(file)) continue
          const { text, digest } = sourceOf(file)
          lines[file] = [
            digest,
            file === planted.file ? coverPlanted(functions, text, planted) : cover(functions, text),
          ]
        }
        known.set(test, lines)
        mkdirSync(folder, { recursive: true })
        writeFileSync(pathOf(test), JSON.stringify(lines))
      }
    },
  }
}

/** Types are blanks in what Node runs, so places are those of the source. Inner ranges come after the ones they lie in. */
function cover(functions: Script['functions'], text: string): string {
  const ran = new Uint8Array(text.length)
  for (const { ranges } of functions)
    for (const { startOffset, endOffset, count } of ranges) ran.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  let at = 0
  return text
    .split('\n')
    .map((line) => {
      const first = at + line.search(/\S|$/)
      at += line.length + 1
      return ran.subarray(first, at).includes(1) ? '1' : '0'
    })
    .join('')
}

/** What follows the fault has moved by as many letters as it is longer. */
function coverPlanted(functions: Script['functions'], text: string, { fault }: Mutant): string {
  const move = (offset: number) =>
    offset <= fault.from ? offset : Math.max(fault.from, offset - fault.text.length + fault.to - fault.from)
  return cover(
    functions.map(({ ranges }) => ({
      ranges: ranges.map(({ startOffset, endOffset, count }) => ({
        startOffset: move(startOffset),
        endOffset: move(endOffset),
        count,
      })),
    })),
    text,
  )
}
