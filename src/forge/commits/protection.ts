/** Branch protection: rules that a repository's admins set, and that every push and merge obeys, by any way. */
import type { SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { prepareFor } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { reaches } from '../access/level.ts'
import type { Access, PushAccess } from '../access/opening.ts'
import type { OpenRepository, Repository } from '../access/repository.ts'
import { tokenOf } from '../access/required-grant.ts'
import { type CheckPush, findOverreach, forbidsForceTo } from '../git/push/push-rules.ts'
import { listTeamsAmong } from '../people/team.ts'
import { countRows } from '../row-pages.ts'
import {
  type BranchRules,
  checksOf,
  decideReviews,
  findCommitFault,
  findPushFault,
  isBehind,
  keepsCommits,
  keepsLinear,
  listFaults,
  listMergeFaults,
  type MergeCase,
  type MergeStanding,
  type Missing,
  noRules,
  type Opinions,
  type Pusher,
  type ReviewDecision,
} from './branch-rules.ts'
import type { CommitStanding } from './commit-standing.ts'

/** Protected branches of a repository; each rule names one branch. */
const maxProtected = 500

export type Protection = ReturnType<typeof makeProtection>

type Needs = { store: Store; clock: Clock; standing: CommitStanding }

const rulesOf = prepareFor((db, { id }: { id: number }) =>
  db.selectFrom('branch_protection').selectAll().where('repository_id', '=', id),
)
const rulesOn = prepareFor((db, { id, branches }: { id: number; branches: readonly string[] }) =>
  db.selectFrom('branch_protection').selectAll().where('repository_id', '=', id).where('branch', 'in', branches),
)

export function makeProtection({ store, clock, standing }: Needs) {
  const { db } = store

  async function findAll(
    repository: Repository,
    branches: readonly string[],
    on: Db = db,
  ): Promise<Map<string, BranchRules>> {
    if (branches.length === 0) return new Map()
    const { id } = repository
    // A push may name very many branches: beyond the maximum, read all rules of the repository instead.
    const rows = await (branches.length > maxProtected ? rulesOf(on, { id }) : rulesOn(on, { id, branches }))
    return new Map(rows.map(({ branch, rules }) => [branch, readRules(rules)]))
  }

  const find = async (repository: Repository, branch: string, on: Db = db): Promise<BranchRules | undefined> =>
    (await findAll(repository, [branch], on)).get(branch)

  async function get(repository: Repository, branch: string, on: Db = db): Promise<BranchRules> {
    const rules = await find(repository, branch, on)
    if (!rules) throw new Failure('not-found', 'not-protected', 'Branch not protected')
    return rules
  }

  async function save(trx: Db, repository: Repository, branch: string, rules: BranchRules): Promise<BranchRules> {
    const now = clock.now()
    const changed = { rules: spellRules(rules), updated_at: now }
    await trx
      .insertInto('branch_protection')
      .values({ repository_id: repository.id, branch, ...changed, created_at: now })
      .onConflict((conflict) => conflict.columns(['repository_id', 'branch']).doUpdateSet(changed))
      .execute()
    return rules
  }

  async function describePusher(
    { actor, repository }: Pick<PushAccess, 'actor' | 'repository'>,
    { restrictions }: BranchRules,
  ): Promise<Pusher> {
    const { id } = actor.account
    const teams = await listTeamsAmong(db, id, restrictions?.teams ?? [])
    const token = tokenOf(actor)
    const appId = token?.kind === 'installation' ? (token.app?.id ?? null) : null
    // An installation has its account's rights, but is no admin who is exempt from the rules.
    return { id, isAdmin: appId === null && reaches(repository.level, 'admin'), teams, appId }
  }

  /** Asked only where the rules want it: it takes a look at the files. */
  const lacksOwners = async (rules: BranchRules | undefined, opinions: Opinions): Promise<boolean> =>
    rules?.reviews?.needsCodeOwners === true && opinions.lacksOwners(rules.reviews.dismissesStale)

  const listMissing = async (repository: Repository, rules: BranchRules, merge: MergeCase): Promise<Missing> => ({
    contexts: await standing.listMissing(repository, merge.headSha, checksOf(rules)),
    owners: await lacksOwners(rules, merge),
  })

  const withProtectionLock = ({ id }: Repository) => ({ locks: [`protection:${id}`] })

  const checkPush: CheckPush = async (access, changes) => {
    const { repository } = access
    const branchOf = (ref: string) => /^refs\/heads\/(.+)$/s.exec(ref)?.[1] ?? ''
    const known = await findAll(
      repository,
      changes.map(({ ref }) => branchOf(ref)),
    )
    const refused = new Map<string, string>()
    const keeping = new Set<string>()
    const linear = new Set<string>()
    for (const change of changes) {
      const overreach = findOverreach(access, change)
      if (overreach) {
        refused.set(change.ref, overreach)
        continue
      }
      const rules = known.get(branchOf(change.ref))
      if (!rules) {
        if (forbidsForceTo(repository, [change])) keeping.add(change.ref)
        continue
      }
      const missing = await standing.listMissing(repository, change.after, checksOf(rules))
      const pusher = await describePusher(access, rules)
      const reason = findPushFault(rules, pusher, change, missing)
      if (reason) {
        refused.set(change.ref, reason)
        continue
      }
      if (keepsCommits(rules, change)) keeping.add(change.ref)
      if (keepsLinear(rules, pusher, change)) linear.add(change.ref)
    }
    return { refused, keeping, linear }
  }

  return {
    find,
    get,
    checkPush,

    /** Whether the actor may put a new commit, which no check has passed yet, on the branch with these rules. */
    async mayCommit(actor: SignedIn, repository: OpenRepository, rules: BranchRules): Promise<boolean> {
      if (!reaches(repository.level, 'write')) return false
      const pusher = await describePusher({ actor, repository }, rules)
      return findCommitFault(rules, pusher) === undefined
    },

    /** The protected branches with their rules. */
    listProtected: async (repository: Repository): Promise<ReadonlyMap<string, BranchRules>> => {
      const rows = await db
        .selectFrom('branch_protection')
        .selectAll()
        .where('repository_id', '=', repository.id)
        .execute()
      return new Map(rows.map(({ branch, rules }) => [branch, readRules(rules)]))
    },

    /** Replaces all rules of a branch. The caller has checked that the branch exists. */
    set: ({ repository }: Access<'admin'>, branch: string, rules: BranchRules): Promise<BranchRules> =>
      store.write(async (trx) => {
        const all = trx.selectFrom('branch_protection').where('repository_id', '=', repository.id)
        if ((await countRows(all)) >= maxProtected && !(await find(repository, branch, trx)))
          throw new Failure('invalid', 'too-many-protected', `${maxProtected} branches are protected already.`)
        return save(trx, repository, branch, rules)
      }, withProtectionLock(repository)),

    /** Changes some rules of a branch that is already protected. */
    change: (
      { repository }: Access<'admin'>,
      branch: string,
      edit: (rules: BranchRules) => BranchRules,
    ): Promise<BranchRules> =>
      store.write(
        async (trx) => save(trx, repository, branch, edit(await get(repository, branch, trx))),
        withProtectionLock(repository),
      ),

    async remove({ repository }: Access<'admin'>, branch: string): Promise<void> {
      await store.write(async (trx) => {
        await get(repository, branch, trx)
        await deleteWithin(trx, repository, branch)
      }, withProtectionLock(repository))
    },

    /**
     * Everything that stands against merging a pull with this head into the branch, in sentences; empty if it may be
     * merged. Merges are checked with this instead of the rules for pushes.
     */
    async listMergeFaults(
      access: Access<'write'>,
      branch: string,
      { headSha, ...merge }: MergeCase,
    ): Promise<readonly string[]> {
      const rules = await find(access.repository, branch)
      if (!rules) return []
      const missing = await listMissing(access.repository, rules, { headSha, ...merge })
      return listMergeFaults(rules, await describePusher(access, rules), merge, missing)
    },

    /** A pull's mergeability for users who are bound by the rules and may push to the branch. */
    async computeMergeStanding(
      repository: Repository,
      branch: string,
      { headSha, ...merge }: MergeCase,
    ): Promise<MergeStanding> {
      const rules = await find(repository, branch)
      if (rules) {
        const missing = await listMissing(repository, rules, { headSha, ...merge })
        if (listFaults(rules, merge, missing).length > 0) return 'blocked'
        if (isBehind(rules, merge)) return 'behind'
      }
      const state = await standing.sumUp(repository, headSha)
      return state !== undefined && state !== 'success' ? 'unstable' : 'clean'
    },

    /** The reviewers' decision on a pull into the branch. */
    decideReviews: async (
      repository: Repository,
      branch: string,
      opinions: Opinions,
    ): Promise<ReviewDecision | undefined> => {
      const rules = await find(repository, branch)
      return decideReviews(rules, opinions, await lacksOwners(rules, opinions))
    },

    dismissesStale: async (repository: Repository, branch: string, on: Db): Promise<boolean> =>
      (await find(repository, branch, on))?.reviews?.dismissesStale ?? false,

    /** A renamed branch keeps its rules: copied before the new name exists, dropped after the old one is gone. */
    async copyWithin(trx: Db, { repository }: Access<'write'>, from: string, to: string): Promise<void> {
      const rules = await find(repository, from, trx)
      if (rules) await save(trx, repository, to, rules)
    },

    async drop({ repository }: Access<'write'>, branch: string): Promise<void> {
      await store.write((trx) => deleteWithin(trx, repository, branch))
    },
  }
}

const deleteWithin = (trx: Db, { id }: Repository, branch: string) =>
  trx.deleteFrom('branch_protection').where('repository_id', '=', id).where('branch', '=', branch).execute()

const readRules = (text: string): BranchRules => ({ ...noRules, ...JSON.parse(text) })
const spellRules = (rules: BranchRules): string => JSON.stringify(rules)
