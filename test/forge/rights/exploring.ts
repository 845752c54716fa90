/** Explores random worlds on a server: so many steps, every breach once, each with the shortest sequence that shows it. */
import type { TestServer } from '../../support/server.ts'
import type { Step } from './act.ts'
import { type Breach, describeStep, drawBeginning, drawStep, playStep } from './playing.ts'
import { makeRandom } from './random.ts'
import { type ManualClock, openStage, type Stage } from './stage.ts'

export type Finding = {
  readonly seed: number
  readonly breach: Breach
  /** Those that lead to the breach, and the breach itself. */
  readonly steps: readonly Step[]
  readonly lines: readonly string[]
}

export type Exploration = {
  readonly seed: number
  readonly steps: number
  readonly worlds: number
  readonly findings: readonly Finding[]
}

export type Options = {
  readonly seed: number
  readonly steps: number
  /** Steps in one world before the next begins. */
  readonly worldSteps?: number
  /** Breaches that are known and still to be mended. */
  isKnown?(breach: Breach): boolean
  /** Looks at a world when its steps are done. */
  atEnd?(stage: Stage): Promise<void>
  /** How often sequences are played again to shorten them. */
  readonly replays?: number
  /** After so many breaches it ends. */
  readonly findings?: number
}

const usualWorld = 300
const usualReplays = 40
/** Each takes its time to be shortened. */
const usualFindings = 4

export async function explore(server: TestServer, clock: ManualClock, options: Options): Promise<Exploration> {
  const { seed, steps, worldSteps = usualWorld, isKnown = () => false } = options
  const { replays = usualReplays, findings: most = usualFindings } = options
  const found = new Map<string, Finding>()
  let done = 0
  let worlds = 0
  while (done < steps && found.size < most) {
    const worldSeed = (seed + worlds++ * 7919) >>> 0
    const random = makeRandom(worldSeed)
    const stage = await openStage(server, clock)
    const played: Step[] = []
    const beginning = drawBeginning(random)
    for (let drawn = 0; drawn < worldSteps && done < steps; drawn++) {
      const step = beginning.shift() ?? drawStep(stage, random)
      if (!step) continue
      const { wasDone, breach, changed } = await playStep(stage, clock, step)
      if (wasDone) done++
      // What changed nothing leads nowhere.
      if (changed) played.push(step)
      if (!breach) continue
      if (!isKnown(breach) && !found.has(breach.signature)) {
        const shortest = await shorten(server, clock, [...played, step], breach.signature, replays)
        const lines = shortest.map((each) => describeStep(stage, each))
        found.set(breach.signature, { seed: worldSeed, breach, steps: shortest, lines })
      }
      if (breach.spoils) break
    }
    await options.atEnd?.(stage)
  }
  return { seed, steps: done, worlds, findings: [...found.values()] }
}

/** Plays a sequence in a world of its own; the first breach of it, if any. */
export async function replay(
  server: TestServer,
  clock: ManualClock,
  steps: readonly Step[],
): Promise<{ at: number; breach: Breach } | undefined> {
  const stage = await openStage(server, clock, new Set(steps.map(({ by }) => by)))
  for (const [at, step] of steps.entries()) {
    const { breach } = await playStep(stage, clock, step)
    if (breach) return { at, breach }
  }
  return undefined
}

/** Leaves out ever smaller parts, as long as what is left still shows the same breach. */
async function shorten(
  server: TestServer,
  clock: ManualClock,
  steps: readonly Step[],
  signature: string,
  replays: number,
): Promise<readonly Step[]> {
  let left = steps
  let tries = 0
  for (let size = Math.ceil(steps.length / 2); size >= 1 && tries < replays; size = Math.floor(size / 2)) {
    for (let at = 0; at < left.length - 1 && tries < replays; ) {
      const shorter = [...left.slice(0, at), ...left.slice(at + size)]
      tries++
      const shown = await replay(server, clock, shorter)
      if (shown?.breach.signature === signature) left = shorter.slice(0, shown.at + 1)
      else at += size
    }
  }
  return left
}

export const describeFinding = ({ seed, breach, lines, steps }: Finding): string =>
  [
    `seed ${seed}: ${breach.signature}`,
    ...lines.map((line) => `  ${line}`),
    `  → ${breach.message}`,
    `  ${JSON.stringify(steps)}`,
  ].join('\n')
