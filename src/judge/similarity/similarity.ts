/** Similarity of students' best submissions to a problem of a sheet, for the teachers of the class. */
import type { Actor } from '../../accounts/actor.ts'
import { demand, Failure } from '../../lib/failure.ts'
import { programFile } from '../../lib/process/program-file.ts'
import { makeIdlePool } from '../../lib/scheduling/idle-pool.ts'
import type { Store } from '../../store/store.ts'
import type { Limits } from '../limits.ts'
import type { CodeHost } from '../problem-links/code-host.ts'
import type { ProblemLinks } from '../problem-links/problem-links.ts'
import type { SheetCopies } from '../sheets/sheet-copies.ts'
import type { BestSubmission, SheetResultsService } from '../sheets/sheet-results.ts'
import type { FoundSheet, Sheets } from '../sheets/sheets.ts'
import type { ComparisonResult, ComparisonTask, Program, SharedPart } from './comparison.ts'

export type AlikePair = {
  readonly left: BestSubmission
  readonly right: BestSubmission
  readonly similarity: number
  readonly parts: readonly SharedPart[]
}

export type Similarity = { readonly pairs: readonly AlikePair[]; readonly compared: number; readonly leftOut: number }

type Needs = {
  store: Store
  sheets: Pick<Sheets, 'teach'>
  results: Pick<SheetResultsService, 'listBest'>
  copies: Pick<SheetCopies, 'findTemplateReader'>
  links: Pick<ProblemLinks, 'findPath'>
  host: CodeHost
  limits: Pick<Limits, 'comparedPrograms' | 'comparedBytes' | 'sourceBytes'>
}

/** The largest comparison takes a thread some seconds. */
const maxMs = 30_000
const readAtOnce = 100

export type SimilarityService = ReturnType<typeof makeSimilarity>

export function makeSimilarity({ store, sheets, results, copies, links, host, limits }: Needs) {
  const filename = programFile(import.meta.dirname, 'similarity-worker.ts')
  const pool = makeIdlePool<ComparisonTask, ComparisonResult>({ filename, maxMs, what: 'programs to be compared' })

  /** The smallest first, so that a large one excludes no others. */
  async function chooseIds(best: readonly BestSubmission[]): Promise<number[]> {
    const sizes: { id: number; bytes: number }[] = []
    for (const some of slices(best.map(({ submissionId }) => submissionId)))
      sizes.push(
        ...(await store.db
          .selectFrom('submission_source')
          .select((eb) => ['submission_id as id', eb.fn<number>('length', ['content']).as('bytes')])
          .where('submission_id', 'in', some)
          .execute()),
      )
    sizes.sort((one, other) => one.bytes - other.bytes)
    let left = limits.comparedBytes
    const chosen: number[] = []
    for (const { id, bytes } of sizes.slice(0, limits.comparedPrograms)) {
      left -= bytes
      if (left >= 0) chosen.push(id)
    }
    return chosen
  }

  async function readPrograms(ids: readonly number[]): Promise<Map<number, Program>> {
    const programs = new Map<number, Program>()
    for (const some of slices(ids)) {
      const rows = await store.db
        .selectFrom('submission_source')
        .innerJoin('submission', 'submission.id', 'submission_source.submission_id')
        .select(['submission.id', 'submission.language', 'submission_source.content'])
        .where('submission.id', 'in', some)
        .execute()
      for (const { id, language, content } of rows)
        programs.set(id, { content: Buffer.from(content).toString('utf8'), language })
    }
    return programs
  }

  /** The template's file for this problem, read with the rights of the teacher who set it. */
  async function readTemplate(found: FoundSheet, uuid: string): Promise<Program | undefined> {
    const { template } = found.sheet
    const reader = template && (await copies.findTemplateReader(found))
    const repository = reader && (await host.findTemplate(reader, template))
    const link = repository && (await links.findPath(repository.id, uuid))
    const content = link && (await host.readTemplateFile(reader!, template!, link.path, limits.sourceBytes))
    return content == null ? undefined : { content, language: link!.language }
  }

  return {
    async get(actor: Actor, sheetId: number, uuid: string): Promise<Similarity> {
      const found = await sheets.teach(actor, sheetId)
      const isThere = found.sheet.problems.some((problem) => problem.uuid === uuid.toLowerCase())
      demand(isThere, 'not-found', 'problem-unknown', `The sheet has no problem ${uuid}.`)
      const best = await results.listBest(found, uuid.toLowerCase())
      const programs = await readPrograms(await chooseIds(best))
      const compared = best.filter(({ submissionId }) => programs.has(submissionId))
      const task = {
        programs: compared.map(({ submissionId }) => programs.get(submissionId)!),
        template: await readTemplate(found, uuid),
      }
      const { pairs, leftOut } = await pool.run(String(found.actor.account.id), task).catch(refuseCostly)
      return {
        pairs: pairs.map(({ left, right, ...pair }) => ({ ...pair, left: compared[left]!, right: compared[right]! })),
        compared: compared.length - leftOut,
        leftOut: best.length - compared.length + leftOut,
      }
    },
    close: () => pool.close(),
  }
}

function* slices<T>(list: readonly T[]): Generator<T[]> {
  for (let at = 0; at < list.length; at += readAtOnce) yield list.slice(at, at + readAtOnce)
}

function refuseCostly(error: Error & { code?: string }): never {
  if (error.name !== 'AbortError' && error.code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
  throw new Failure('limited', 'comparison-costly', 'Comparing these programs takes too long, or too much memory.')
}
