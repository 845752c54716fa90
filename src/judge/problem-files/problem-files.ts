/** Files of a problem: pictures of its statement, attachments, and everything else in its package. */
import type { Readable } from 'node:stream'
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import type { Switches } from '../../accounts/switches.ts'
import { demand } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Blob } from '../../store/files/blobs.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { ownsProblem, requireAct, requireReader } from '../access.ts'
import type { Limits } from '../limits.ts'
import type { ProblemRef, Problems } from '../problems/problems.ts'
import { reservePositions } from '../problems/test-list.ts'
import { demandStorage } from '../test-cases/test-quota.ts'
import { demandFilePath, isShown } from './file-path.ts'
import type { FileStore } from './file-store.ts'

export type ProblemFile = { readonly path: string; readonly bytes: number }
export type StoredProblemFile = ProblemFile & { readonly hash: string }

/** A file to add, whose bytes are already stored. */
export type FileDraft = { readonly path: string; readonly blob: Blob }

type Needs = { store: Store; switches: Switches; problems: Problems; files: FileStore; limits: Limits }

export type ProblemFiles = ReturnType<typeof makeProblemFiles>

export function makeProblemFiles({ store, switches, problems, files, limits }: Needs) {
  files.nameBy(async (trx, hash) => {
    const row = await trx.selectFrom('problem_file').select('id').where('blob_hash', '=', hash).executeTakeFirst()
    return row !== undefined
  })

  async function findOwn(actor: Actor, uuid: string): Promise<ProblemRef> {
    requireAct(actor, 'updateProblem')
    await switches.demandProblemUpdate()
    return problems.findOwn(actor, uuid)
  }

  const receive = (content: Readable): Promise<Blob> => files.receive(content, '', limits.problemFileBytes)

  /** Must run in a transaction that has locked or created the problem. */
  async function add(trx: Db, problem: { id: number; authorId: number }, drafts: readonly FileDraft[]): Promise<void> {
    for (const { path, blob } of drafts) {
      const place = { problem_id: problem.id, path: demandFilePath(path) }
      await trx.deleteFrom('problem_file').where('problem_id', '=', place.problem_id).where('path', '=', path).execute()
      const values = { ...place, owner_id: problem.authorId, bytes: blob.size, blob_hash: blob.hash }
      await trx.insertInto('problem_file').values(values).execute()
    }
    const { count } = await trx
      .selectFrom('problem_file')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('problem_id', '=', problem.id)
      .executeTakeFirstOrThrow()
    const message = `A problem may have ${limits.problemFiles} files: delete some first.`
    demand(Number(count) <= limits.problemFiles, 'limited', 'file-quota', message)
    await demandStorage(trx, problem.authorId, limits)
  }

  async function find(problemId: number, path: string): Promise<StoredProblemFile> {
    const row = await store.db
      .selectFrom('problem_file')
      .select(['path', 'bytes', 'blob_hash as hash'])
      .where('problem_id', '=', problemId)
      .where('path', '=', path)
      .executeTakeFirst()
    demand(row, 'not-found', 'file-unknown', `The problem has no file ${path}.`)
    return row
  }

  async function demandPut(actor: Actor, uuid: string, path: string): Promise<ProblemRef> {
    const problem = await findOwn(actor, uuid)
    demandFilePath(path)
    return problem
  }

  return {
    add,
    receive,
    demandPut,

    /** Adds a file to a problem, or replaces the one with the same path. */
    async put(actor: Actor, uuid: string, path: string, content: Readable): Promise<ProblemFile> {
      const problem = await demandPut(actor, uuid, path)
      await demandStorage(store.db, problem.authorId, limits)
      const blob = await receive(content)
      await files.writeAll([blob], async (trx) => {
        const isThere = (await reservePositions(trx, problem.id, 0)) !== undefined
        demand(isThere, 'not-found', 'problem-unknown', `There is no problem ${uuid}.`)
        await add(trx, problem, [{ path, blob }])
      })
      return { path, bytes: blob.size }
    },

    async delete(actor: Actor, uuid: string, path: string): Promise<void> {
      const problem = await findOwn(actor, uuid)
      const { numDeletedRows } = await store.write((trx) =>
        trx
          .deleteFrom('problem_file')
          .where('problem_id', '=', problem.id)
          .where('path', '=', path)
          .executeTakeFirstOrThrow(),
      )
      demand(numDeletedRows > 0n, 'not-found', 'file-unknown', `The problem has no file ${path}.`)
    },

    /** Owners of the problem see all files, others those meant for them. */
    async list(actor: Actor, uuid: string, { offset, limit }: PageRequest): Promise<Page<ProblemFile>> {
      requireReader(actor)
      const problem = await problems.findListed(actor, uuid)
      const rows = await listAll(store.db, problem.id)
      const shown = ownsProblem(actor, problem) ? rows : rows.filter(({ path }) => isShown(path))
      return { total: shown.length, items: shown.slice(offset, offset + limit) }
    },

    /** Opens a file that the actor may have. For others, restricted files do not exist. */
    async open(actor: Actor, uuid: string, path: string): Promise<{ file: StoredProblemFile; read(): Readable }> {
      requireReader(actor)
      const problem = await problems.findListed(actor, uuid)
      const mayHave = isShown(path) || ownsProblem(actor as SignedIn, problem)
      demand(mayHave, 'not-found', 'file-unknown', `The problem has no file ${path}.`)
      const file = await find(problem.id, path)
      return { file, read: () => files.read(file.hash) }
    },

    /** Opens a file for everyone who sees the problem. The caller has already checked that the reader does. */
    async openOpened(uuid: string, path: string): Promise<{ file: StoredProblemFile; read(): Readable }> {
      const { id } = await problems.readOpened(uuid)
      demand(isShown(path), 'not-found', 'file-unknown', `The problem has no file ${path}.`)
      const file = await find(id, path)
      return { file, read: () => files.read(file.hash) }
    },

    listAll: (problemId: number): Promise<StoredProblemFile[]> => listAll(store.db, problemId),
    read: (hash: string): Readable => files.read(hash),
  }
}

const listAll = (db: Db, problemId: number): Promise<StoredProblemFile[]> =>
  db
    .selectFrom('problem_file')
    .select(['path', 'bytes', 'blob_hash as hash'])
    .where('problem_id', '=', problemId)
    .orderBy('path')
    .execute()
