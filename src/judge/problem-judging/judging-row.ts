/**
 * How a problem's judging is stored: the settings as JSON, and each program separately, since most readers need none.
 */
import type { Db } from '../../store/schema/schema.ts'
import { countProgramBytes, type Judging, type Program, plainJudging } from './judging.ts'

type StoredProgram = { language: Program['language']; files: { name: string; content: string }[] }

const packProgram = (program: Program | null): Uint8Array | null => {
  if (!program) return null
  const files = program.files.map(({ name, content }) => ({ name, content: Buffer.from(content).toString('base64') }))
  return Buffer.from(JSON.stringify({ language: program.language, files } satisfies StoredProgram))
}

const unpackProgram = (bytes: Uint8Array | null): Program | null => {
  if (!bytes) return null
  const { language, files } = JSON.parse(Buffer.from(bytes).toString()) as StoredProgram
  return { language, files: files.map(({ name, content }) => ({ name, content: Buffer.from(content, 'base64') })) }
}

export async function storeJudging(
  trx: Db,
  problem: { id: number; authorId: number },
  judging: Judging,
): Promise<void> {
  const { checker, interactor, isHeld: _, ...rest } = judging
  const values = {
    owner_id: problem.authorId,
    bytes: countProgramBytes(judging),
    settings: JSON.stringify({ ...rest, checker: { ...checker, program: null } }),
    checker: packProgram(checker.program),
    interactor: packProgram(interactor),
  }
  await trx
    .insertInto('problem_judging')
    .values({ problem_id: problem.id, ...values })
    .onConflict((conflict) => conflict.column('problem_id').doUpdateSet(values))
    .execute()
}

/** Without the programs, which may hold megabytes. `isHeld` comes from the problem. */
export async function readSettings(db: Db, problemId: number): Promise<Judging & { readonly programBytes: number }> {
  const row = await db
    .selectFrom('problem_judging')
    .select(['settings', 'bytes'])
    .where('problem_id', '=', problemId)
    .executeTakeFirst()
  return { ...plainJudging, ...(row && JSON.parse(row.settings)), programBytes: row?.bytes ?? 0 }
}

export type Worth = Pick<Judging, 'isScored' | 'maximumScore'>

/** The maximum scores of these problems, without those that have no settings. */
export async function readWorths(db: Db, problemIds: readonly number[]): Promise<Map<number, Worth>> {
  if (problemIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('problem_judging')
    .select(['problem_id', 'settings'])
    .where('problem_id', 'in', problemIds)
    .execute()
  return new Map(
    rows.map(({ problem_id, settings }) => {
      const { isScored, maximumScore } = { ...plainJudging, ...(JSON.parse(settings) as Partial<Judging>) }
      return [problem_id, { isScored, maximumScore }]
    }),
  )
}

export async function readJudging(db: Db, problemId: number): Promise<Judging> {
  const row = await db
    .selectFrom('problem_judging')
    .select(['settings', 'checker', 'interactor'])
    .where('problem_id', '=', problemId)
    .executeTakeFirst()
  if (!row) return plainJudging
  const settings = JSON.parse(row.settings) as Judging
  const checker = { ...settings.checker, program: unpackProgram(row.checker) }
  return { ...plainJudging, ...settings, checker, interactor: unpackProgram(row.interactor) }
}
