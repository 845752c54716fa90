/** A copy of the project in which faults are planted, and the engines chosen that its tests run on. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Mutant } from './draw.ts'
import { plant } from './faults.ts'

const isLeft = /^(?:node_modules|\.git|\.build|\.node|data|coverage)(?:\/|$)/
const enginesFile = 'test/support/engines.ts'
const bothEngines = "['sqlite', 'postgres'] as const"

export type Copy = ReturnType<typeof makeCopy>

export function makeCopy(root: string) {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-mutants-'))
  cpSync(root, folder, { recursive: true, filter: (path) => !isLeft.test(relative(root, path)) })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const original = (file: string) => readFileSync(join(root, file), 'utf8')
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
  if (!original(enginesFile).includes(bothEngines))
    throw new Error(`${enginesFile} does not list the engines as it did.`)
  return {
    folder,
    plant: ({ file, fault }: Mutant) => write(file, plant(original(file), fault)),
    mend: ({ file }: Mutant) => write(file, original(file)),
    /** Suites of both engines run on this one alone: most faults show on either. */
    chooseEngine: (engine: 'sqlite' | 'postgres') =>
      write(
        enginesFile,
        original(enginesFile).replace(bothEngines, `['${engine}'] as unknown as readonly ['sqlite', 'postgres']`),
      ),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
