/** Problem links of repositories: set by those who may write to the repository, shown to those who may read it. */
import { type Actor, requireSignIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { maySeeProblem } from '../access.ts'
import type { ContestAccess } from '../contest-access/contest-access.ts'
import type { Limits } from '../limits.ts'
import type { Problems } from '../problems/problems.ts'
import type { SheetAccess } from '../sheet-access/sheet-access.ts'
import type { CodeHost } from './code-host.ts'
import { chooseLanguage, demandBranch, demandPath, type ProblemLink, type ProblemLinkDraft } from './problem-link.ts'

type Needs = {
  store: Store
  clock: Clock
  problems: Pick<Problems, 'find'>
  sheetAccess: Pick<SheetAccess, 'opensTo'>
  contestAccess: Pick<ContestAccess, 'opensTo'>
  host: CodeHost
  limits: Pick<Limits, 'repositoryLinks'>
}

/** Of a problem: each student of a large course has a repository that submits to it. */
const mostSearched = 2_000
const mostListed = 100

export type ProblemLinks = ReturnType<typeof makeProblemLinks>

export function makeProblemLinks({ store, clock, problems, sheetAccess, contestAccess, host, limits }: Needs) {
  const readLinks = (db: Db, repositoryId: number) =>
    db
      .selectFrom('problem_link')
      .innerJoin('problem', 'problem.id', 'problem_link.problem_id')
      .select(['problem.id', 'problem.uuid', 'problem.display_name', 'problem.author_id', 'problem.is_held'])
      .select(['problem_link.path', 'problem_link.branch', 'problem_link.language'])
      .where('problem_link.repository_id', '=', repositoryId)
      .orderBy('problem_link.id')
      .execute()

  return {
    /** A problem has one link per repository: another one replaces it. */
    async put(actor: Actor, draft: ProblemLinkDraft): Promise<ProblemLink> {
      requireSignIn(actor)
      demandPath(draft.path)
      demandBranch(draft.branch)
      const language = chooseLanguage(draft)
      const repository = await host.openToWrite(actor, draft.repository)
      const problem = await problems.find(actor, draft.uuid)
      const { path, branch } = draft
      const entry = { path, branch, language, created_at: clock.now() }
      await store.write(
        async (trx) => {
          await trx
            .insertInto('problem_link')
            .values({ repository_id: repository.id, problem_id: problem.id, ...entry })
            .onConflict((conflict) => conflict.columns(['repository_id', 'problem_id']).doUpdateSet(entry))
            .execute()
          const { count } = await trx
            .selectFrom('problem_link')
            .select((eb) => eb.fn.countAll<number>().as('count'))
            .where('repository_id', '=', repository.id)
            .executeTakeFirstOrThrow()
          const most = `A repository has at most ${limits.repositoryLinks} problem links.`
          demand(Number(count) <= limits.repositoryLinks, 'limited', 'too-many-links', most)
        },
        { locks: [`problem-links:${repository.id}`] },
      )
      return {
        repository: repository.fullName,
        uuid: problem.uuid,
        displayName: problem.displayName,
        path,
        branch,
        language,
      }
    },

    /** Without links to problems that the actor may not see. */
    async list(actor: Actor, fullName: string): Promise<ProblemLink[]> {
      requireSignIn(actor)
      const repository = await host.openToRead(actor, fullName)
      const found: ProblemLink[] = []
      for (const row of await readLinks(store.db, repository.id)) {
        const isShown =
          maySeeProblem(actor, { authorId: row.author_id, isHeld: row.is_held === 1 }) ||
          (await sheetAccess.opensTo(actor, row)) ||
          (await contestAccess.opensTo(actor, row))
        if (!isShown) continue
        const { uuid, display_name: displayName, path, branch, language } = row
        found.push({ repository: repository.fullName, uuid, displayName, path, branch, language })
      }
      return found
    },

    /** The newest links to a problem, of repositories that the actor may read. */
    async listOfProblem(actor: Actor, uuid: string): Promise<ProblemLink[]> {
      requireSignIn(actor)
      const problem = await problems.find(actor, uuid)
      const rows = await store.db
        .selectFrom('problem_link')
        .select(['repository_id', 'path', 'branch', 'language'])
        .where('problem_id', '=', problem.id)
        .orderBy('id', 'desc')
        .limit(mostSearched)
        .execute()
      const readable = await host.readMany(
        actor,
        rows.map(({ repository_id }) => repository_id),
      )
      const names = new Map(readable.map(({ id, fullName }) => [id, fullName]))
      return rows
        .filter(({ repository_id }) => names.has(repository_id))
        .slice(0, mostListed)
        .map(({ repository_id, path, branch, language }) => {
          const repository = names.get(repository_id)!
          return { repository, uuid: problem.uuid, displayName: problem.displayName, path, branch, language }
        })
    },

    async delete(actor: Actor, fullName: string, uuid: string): Promise<void> {
      requireSignIn(actor)
      const repository = await host.openToWrite(actor, fullName)
      await store.write(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('problem_link')
          .where('repository_id', '=', repository.id)
          .where('problem_id', 'in', (eb) =>
            eb.selectFrom('problem').select('id').where('uuid', '=', uuid.toLowerCase()),
          )
          .executeTakeFirstOrThrow()
        demand(numDeletedRows > 0n, 'not-found', 'link-unknown', `${fullName} has no link to the problem ${uuid}.`)
      })
    },

    /** Copies the links of a repository to its copy, in the write that creates it. */
    async copyWithin(trx: Db, fromId: number, intoId: number): Promise<void> {
      const rows = await trx
        .selectFrom('problem_link')
        .select(['problem_id', 'path', 'branch', 'language'])
        .where('repository_id', '=', fromId)
        .orderBy('id')
        .execute()
      if (rows.length === 0) return
      const made = rows.map((row) => ({ ...row, repository_id: intoId, created_at: clock.now() }))
      await trx.insertInto('problem_link').values(made).execute()
    },

    /** The path and language of a repository's link to a problem. */
    async findPath(repositoryId: number, uuid: string): Promise<{ path: string; language: string } | undefined> {
      const links = await readLinks(store.db, repositoryId)
      return links.find((link) => link.uuid === uuid.toLowerCase())
    },
  }
}
