/**
 * Judging settings of problems: read, set and validated. Finished submissions keep their results until they are
 * rejudged.
 */
import { createHash } from 'node:crypto'
import type { Actor } from '../../accounts/actor.ts'
import type { Switches } from '../../accounts/switches.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import { toMillionths } from '../../lib/judging-rules/scoring/rules.ts'
import { findTokensFault } from '../../lib/judging-rules/token-arguments.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { maySeeJudging, requireAct, requireReader } from '../access.ts'
import type { Limits } from '../limits.ts'
import { countHeld, hashJudging, type LastFault, noteJudgingChange, readLastFault } from '../problems/judging-state.ts'
import type { Problems } from '../problems/problems.ts'
import { reservePositions } from '../problems/test-list.ts'
import type { FeatureAlignment } from '../submissions/feature-alignment.ts'
import { listUsedArguments, listUsedGroups } from '../test-cases/test-judging.ts'
import { demandStorage } from '../test-cases/test-quota.ts'
import { featuresOf, type Judging } from './judging.ts'
import { readJudging, readSettings, readWorths, storeJudging } from './judging-row.ts'
import { withTestlib } from './testlib/testlib.ts'
import { demandSoundJudging } from './validation.ts'

type Needs = {
  store: Store
  clock: Clock
  switches: Switches
  problems: Problems
  alignment: FeatureAlignment
  limits: Limits
}

/** `keeper` is only for the problem's owners and executors; without it the judging has no programs. */
export type ShownJudging = {
  readonly judging: Judging
  readonly keeper:
    | { readonly hash: string; readonly faultCount: number; readonly lastFault: LastFault | null }
    | undefined
}

export type ProblemJudgings = ReturnType<typeof makeProblemJudgings>

export function makeProblemJudgings({ store, clock, switches, problems, alignment, limits }: Needs) {
  async function readState(db: Db, problemId: number) {
    const row = await db
      .selectFrom('problem')
      .select(['uuid', 'judging_state', 'test_hash', 'fault_count', 'last_fault', 'is_held', 'needs'])
      .where('id', '=', problemId)
      .executeTakeFirst()
    demand(row, 'not-found', 'problem-unknown', 'The problem was deleted meanwhile.')
    const keeper = {
      hash: hashJudging(row.uuid, row.judging_state, row.test_hash),
      faultCount: row.fault_count,
      lastFault: readLastFault(row.last_fault),
    }
    return { keeper, isHeld: row.is_held === 1, needs: row.needs }
  }

  /** Must run in a transaction that has locked or created the problem. */
  async function save(trx: Db, problem: { id: number; authorId: number }, given: Judging): Promise<Judging> {
    const judging = completePrograms(given)
    demandSoundJudging(judging, limits)
    await storeJudging(trx, problem, judging)
    await demandStorage(trx, problem.authorId, limits)
    await noteJudgingChange(trx, problem.id, digestJudging(judging), {
      isHeld: judging.isHeld,
      needs: featuresOf(judging),
      languageFactors: judging.languageFactors,
      updatedAt: clock.now(),
    })
    if (judging.isHeld) await demandHeldQuota(trx, problem.authorId)
    return judging
  }

  async function demandHeldQuota(trx: Db, authorId: number): Promise<void> {
    const message = `An author may have ${limits.heldProblems} problems held: release or delete some first.`
    demand((await countHeld(trx, authorId)) <= limits.heldProblems, 'limited', 'held-quota', message)
  }

  return {
    save,

    /** Adds groups that the problem lacks; they share its remaining points equally. */
    async addGroups(trx: Db, problem: { id: number; authorId: number }, names: readonly string[]): Promise<void> {
      const { isHeld } = await readState(trx, problem.id)
      const judging = { ...(await readJudging(trx, problem.id)), isHeld }
      const added = names.filter((wished) => !judging.groups.some(({ name }) => name === wished))
      if (added.length === 0) return
      const most = `A problem has at most ${limits.groups} groups.`
      demand(judging.groups.length + added.length <= limits.groups, 'limited', 'too-many-groups', most)
      const used = judging.groups.reduce((sum, { maximum }) => sum + (maximum ?? 0), 0)
      const left = Math.max(0, (judging.maximumScore ?? toMillionths(100)) - used)
      const share = Math.floor(left / added.length)
      const groups = added.map((name, at) => ({
        name,
        aggregation: 'pass-fail' as const,
        // The last group also gets the remainder, so that the sum is exact.
        maximum: at === added.length - 1 ? left - share * at : share,
        required: [],
      }))
      await save(trx, problem, { ...judging, groups: [...judging.groups, ...groups] })
    },

    /** For problems that the reader has found: everybody who sees a problem may know its maximum. */
    readWorths: (problemIds: readonly number[]) => readWorths(store.db, problemIds),

    /** `reserve` is told how many bytes will be read, and may wait or refuse. */
    async get(actor: Actor, uuid: string, reserve: (bytes: number) => void | Promise<void>): Promise<ShownJudging> {
      requireReader(actor)
      const problem = await problems.find(actor, uuid)
      const { keeper, isHeld } = await readState(store.db, problem.id)
      const { programBytes, ...settings } = await readSettings(store.db, problem.id)
      if (!maySeeJudging(actor, problem)) return { judging: { ...settings, isHeld }, keeper: undefined }
      await reserve(programBytes)
      return { judging: { ...(await readJudging(store.db, problem.id)), isHeld }, keeper }
    },

    async update(actor: Actor, uuid: string, change: Partial<Judging>): Promise<ShownJudging> {
      requireAct(actor, 'updateProblem')
      await switches.demandProblemUpdate()
      const problem = await problems.findOwn(actor, uuid)
      const { shown, hasMoved } = await store.write(async (trx) => {
        const isThere = (await reservePositions(trx, problem.id, 0)) !== undefined
        demand(isThere, 'not-found', 'problem-unknown', `There is no problem ${uuid}.`)
        const { needs, isHeld } = await readState(trx, problem.id)
        const wished = { ...(await readJudging(trx, problem.id)), isHeld, ...change }
        if (change.groups) await demandUsedGroups(trx, problem.id, wished)
        if (change.checker) await demandUsedArguments(trx, problem.id, wished)
        const judging = await save(trx, problem, wished)
        const moves = featuresOf(judging) !== needs
        if (moves) await alignment.enqueue(trx, problem.id)
        return { shown: { judging, keeper: (await readState(trx, problem.id)).keeper }, hasMoved: moves }
      })
      if (hasMoved) await alignment.align(problem.id)
      return shown
    },
  }
}

async function demandUsedGroups(trx: Db, problemId: number, { groups }: Judging): Promise<void> {
  const gone = (await listUsedGroups(trx, problemId)).find((used) => !groups.some(({ name }) => name === used))
  if (gone === undefined) return
  const message = `Tests are in the group ${JSON.stringify(gone)}, which GroupList lacks: move them first (update_test_case_judging).`
  demand(false, 'precondition', 'group-in-use', message)
}

async function demandUsedArguments(trx: Db, problemId: number, { checker }: Judging): Promise<void> {
  if (checker.kind !== 'tokens') return
  for (const list of await listUsedArguments(trx, problemId)) {
    const wrong = findTokensFault(list)
    if (wrong === undefined) continue
    const message = `Tests have an ArgumentList that the comparison by tokens does not take: it ${wrong}. Change it first (update_test_case_judging).`
    demand(false, 'precondition', 'arguments-in-use', message)
  }
}

const completePrograms = ({ checker, interactor, ...rest }: Judging): Judging => ({
  ...rest,
  checker: { ...checker, program: checker.program && withTestlib(checker.program) },
  interactor: interactor && withTestlib(interactor),
})

function digestJudging({ checker, interactor, ...rest }: Judging): string {
  const hash = createHash('sha256').update(JSON.stringify([rest, checker.kind, checker.arguments]))
  for (const program of [checker.program, interactor]) {
    hash.update(`\n${program?.language} ${program?.files.length}`)
    for (const { name, content } of program?.files ?? []) hash.update(`\n${content.length} ${name}\n`).update(content)
  }
  return hash.digest('hex')
}
