/** A problem package becomes a problem with its test cases and examples, all or nothing. */
import { type Actor, requireRole } from '../../accounts/actor.ts'
import type { Store } from '../../store/store.ts'
import type { Limits } from '../limits.ts'
import type { Problems } from '../problems/problems.ts'
import type { TestDraft, TestUploads } from '../test-cases/test-uploads.ts'
import { type PackagedTest, readKattis, type Wishes } from './kattis.ts'
import { badPackage, openPackage, type PackageFiles, readText } from './package-files.ts'

type Needs = { store: Store; problems: Problems; uploads: TestUploads; limits: Limits }

export type Imported = {
  readonly uuid: string
  readonly displayName: string
  readonly testCount: number
  readonly notes: readonly string[]
}

export type PackageImport = ReturnType<typeof makePackageImport>

export function makePackageImport({ store, problems, uploads, limits }: Needs) {
  async function* readTests(files: PackageFiles, tests: readonly PackagedTest[]): AsyncGenerator<TestDraft> {
    for (const { input, output, isHidden } of tests) {
      yield { input: await readTest(files, input), output: await readTest(files, output), isHidden }
    }
  }

  async function readTest(files: PackageFiles, path: string): Promise<Buffer> {
    const text = await readText(files, path)
    if (text.length > limits.testTextBytes) throw badPackage(`${path} is over ${limits.testTextBytes} bytes.`)
    return text
  }

  return {
    /** The path is of a folder or of a zip. It is the operator's: the switches do not bind it. */
    async importPackage(actor: Actor, path: string, wishes: Wishes = {}): Promise<Imported> {
      requireRole(actor, ['problem_setter', 'admin'], 'make problems')
      const files = await openPackage(path, limits)
      const { draft, tests, notes } = await readKattis(files, limits, wishes)
      const upload = await uploads.stage(readTests(files, tests))
      try {
        const { uuid } = await store.write(async (trx) => {
          const problem = await problems.insert(trx, actor.account, draft)
          await uploads.attach(trx, upload, problem.id)
          return problem
        })
        return { uuid, displayName: draft.displayName, testCount: tests.length, notes }
      } catch (error) {
        await uploads.discard(upload.id)
        throw error
      }
    },
  }
}
