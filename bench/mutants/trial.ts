/** Tries one fault: the tests that can see it, the nearest first, on the engine that answers sooner and then on the other. */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Copy } from './copy.ts'
import type { Mutant } from './draw.ts'
import type { NearestTests } from './nearest-tests.ts'
import type { Reach } from './reach.ts'
import type { Outcome } from './results.ts'
import type { TestRuns } from './test-run.ts'

type Needs = {
  readonly copy: Copy
  readonly runs: TestRuns
  readonly reach: Reach
  readonly nearest: NearestTests
}

/** How many files are run at once. Most faults are caught by the first. */
const stages = [1, 3, 4]

export async function tryMutant({ copy, runs, reach, nearest }: Needs, mutant: Mutant): Promise<Outcome> {
  const tried: string[] = []
  const postgresAlone = /postgres|rate-table|slot-writer/.test(mutant.file)
  copy.plant(mutant)
  try {
    for (const [stage, most] of stages.entries()) {
      const files = candidates().slice(0, most)
      tried.push(...files)
      const caught = await runOn(postgresAlone ? 'postgres' : 'sqlite', files, stage > 0)
      if (caught) return caught
    }
    const reached = tried.filter((file) => reach.reaches(file, mutant) !== false)
    if (postgresAlone || reached.length === 0) return { isCaught: false, by: tried, reached }
    return (await runOn('postgres', reached)) ?? { isCaught: false, by: tried, reached }
  } finally {
    copy.mend(mutant)
    rmSync(join(copy.folder, '.build'), { recursive: true, force: true })
  }

  /** A test that fails in any case sees nothing. */
  async function passesWithout(files: readonly string[], name?: string): Promise<boolean> {
    copy.mend(mutant)
    const { failed, isOutOfTime } = await runs.run(files, { name })
    copy.plant(mutant)
    return !failed && !isOutOfTime
  }

  /** Those known to run the line come first, those known not to run it not at all. */
  function candidates(): string[] {
    const reaching = nearest.all.filter((file) => reach.reaches(file, mutant) === true)
    const near = nearest
      .of(mutant.file, mutant.line)
      .filter((file) => nearest.startsPrograms(file) || reach.reaches(file, mutant) !== false)
    const [knownNear, unknown] = [
      near.filter((file) => reaching.includes(file)),
      near.filter((file) => !reaching.includes(file)),
    ]
    return [...new Set([...knownNear, ...unknown.slice(0, 6), ...reaching, ...unknown])].filter(
      (file) => !tried.includes(file),
    )
  }

  async function runOn(
    engine: 'sqlite' | 'postgres',
    files: readonly string[],
    isCovered = false,
  ): Promise<Outcome | undefined> {
    if (files.length === 0) return undefined
    copy.chooseEngine(engine)
    if (files.some(nearest.startsPrograms)) buildPrograms(copy.folder)
    const first = await runs.run(files, { isCovered })
    if (first.isOutOfTime) {
      if (!(await passesWithout(files))) return undefined
      return { isCaught: true, by: files, reason: 'out of time' }
    }
    if (!first.failed) {
      if (isCovered) reach.note(copy.folder, first.coverage, mutant)
      return undefined
    }
    // On a busy machine a test may fail for nothing.
    const { name, file, reason } = first.failed
    const again = await runs.run([file], { name: name === file ? undefined : name })
    const isSeen = again.failed !== undefined || again.isOutOfTime
    if (isSeen && !(await passesWithout([file], name === file ? undefined : name))) return undefined
    if (isSeen) return { isCaught: true, by: [`${file}: ${name}`], reason: reason.slice(0, 200) }
    const whole = await runs.run(files, { isCovered })
    if (whole.failed || whole.isOutOfTime)
      return { isCaught: true, by: [`${whole.failed?.file}: ${whole.failed?.name}`], reason: 'not each time' }
    if (isCovered) reach.note(copy.folder, whole.coverage, mutant)
    return undefined
  }
}

function buildPrograms(folder: string): void {
  const words = "import('./scripts/build.mjs').then(({ isBuilt, build }) => isBuilt() || build())"
  execFileSync(process.execPath, ['-e', words], { cwd: folder, stdio: 'ignore' })
}
