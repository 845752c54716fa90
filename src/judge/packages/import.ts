/** Import: a problem package becomes a problem with its test cases and examples, all or nothing. */
import type { Account, Actor } from '../../accounts/actor.ts'
import type { Switches } from '../../accounts/switches.ts'
import type { Store } from '../../store/store.ts'
import { requireAct } from '../access.ts'
import type { Zip } from '../archive/archive.ts'
import type { Limits } from '../limits.ts'
import type { Problems } from '../problems/problems.ts'
import type { TestDraft, TestUploads } from '../test-cases/test-uploads.ts'
import { type ImportOverrides, type PackagedTest, readKattis } from './kattis.ts'
import { invalidPackage, openPackage, openZippedPackage, type PackageFiles, readText } from './package-files.ts'

type Needs = { store: Store; switches: Switches; problems: Problems; uploads: TestUploads; limits: Limits }

export type Imported = {
  readonly uuid: string
  readonly displayName: string
  readonly testCount: number
  readonly notes: readonly string[]
}

export type PackageImport = ReturnType<typeof makePackageImport>

export function makePackageImport({ store, switches, problems, uploads, limits }: Needs) {
  async function* readTests(files: PackageFiles, tests: readonly PackagedTest[]): AsyncGenerator<TestDraft> {
    for (const { input, output, isHidden } of tests) {
      yield { input: await readTest(files, input), output: await readTest(files, output), isHidden }
    }
  }

  async function readTest(files: PackageFiles, path: string): Promise<Buffer> {
    const text = await readText(files, path)
    if (text.length > limits.testTextBytes) throw invalidPackage(`${path} is over ${limits.testTextBytes} bytes.`)
    return text
  }

  async function insert(author: Account, files: PackageFiles, overrides: ImportOverrides): Promise<Imported> {
    const { draft, tests, notes } = await readKattis(files, limits, overrides)
    const upload = await uploads.stage(author.id, readTests(files, tests))
    try {
      const { uuid } = await store.write(async (trx) => {
        const problem = await problems.insert(trx, author, draft)
        await uploads.attach(trx, upload, problem.id)
        return problem
      })
      return { uuid, displayName: draft.displayName, testCount: tests.length, notes }
    } catch (error) {
      await uploads.discard(upload.id)
      throw error
    }
  }

  return {
    /** The path leads to a folder or a zip. This is for the operator's command line, which the switches do not bind. */
    async importPackage(actor: Actor, path: string, overrides: ImportOverrides = {}): Promise<Imported> {
      requireAct(actor, 'createProblem')
      return insert(actor.account, await openPackage(path, limits), overrides)
    },

    async importZip(actor: Actor, zip: Zip): Promise<Imported> {
      requireAct(actor, 'createProblem')
      await switches.demandProblemCreation()
      return insert(actor.account, await openZippedPackage(zip, limits), {})
    },
  }
}
