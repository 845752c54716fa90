/** Reads checks: runs with their outputs, suites, and what was said of a commit. */
import type { Page, PageRequest } from '../../lib/page.ts'
import { readLongTexts, shortText } from '../../store/long-texts.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Repository } from '../access/repository.ts'
import { readApps } from '../apps/app.ts'
import { notFound } from '../failures.ts'
import { countRows, readPage } from '../row-pages.ts'
import type { Annotation, CheckedPull, CheckRun, CheckState, CheckSuite } from './check.ts'

export type RunFilter = {
  readonly suiteId?: number | undefined
  readonly sha?: string | undefined
  readonly name?: string | undefined
  readonly status?: string | undefined
  readonly appId?: number | undefined
  /** Of each name in each suite the newest alone. */
  readonly isLatest: boolean
}

/** Shown beside a commit. */
const maxPulls = 20

/** Of each name in each suite. */
export const selectLatestIds = (db: Db, repositoryId: number, sha: string) =>
  db
    .selectFrom('check_run as newest')
    .select((eb) => eb.fn.max('newest.id').as('id'))
    .where('newest.repository_id', '=', repositoryId)
    .where('newest.sha', '=', sha)
    .groupBy(['newest.suite_id', 'newest.name'])

const selectRuns = (db: Db, repositoryId: number) =>
  db
    .selectFrom('check_run')
    .select(['check_run.id', 'suite_id', 'sha', 'app_id', 'name', 'external_id', 'details_url', 'status', 'conclusion'])
    .select(['started_at', 'completed_at', 'annotation_count'])
    .select(shortText<string | null, 'body'>('check_run', 'body'))
    .where('check_run.repository_id', '=', repositoryId)

type RunRow = Awaited<ReturnType<ReturnType<typeof selectRuns>['executeTakeFirstOrThrow']>>

export type CheckReading = ReturnType<typeof makeCheckReading>

export function makeCheckReading({ store: { db } }: { store: Store }) {
  async function readPulls(on: Db, repositoryId: number, shas: readonly string[]) {
    const rows = await on
      .selectFrom('pull')
      .innerJoin('issue', 'issue.id', 'pull.issue_id')
      .select(['pull.issue_id', 'issue.number', 'head_sha', 'head_ref', 'base_ref', 'base_sha'])
      .where('pull.repository_id', '=', repositoryId)
      .where('head_repository_id', '=', repositoryId)
      .where('head_sha', 'in', shas)
      .where('issue.state', '=', 'open')
      .where('issue.deleted_at', 'is', null)
      .orderBy('pull.issue_id')
      .limit(maxPulls)
      .execute()
    const toPull = (row: (typeof rows)[number]): CheckedPull => ({
      ...{ id: row.issue_id, number: row.number, headRef: row.head_ref },
      ...{ baseRef: row.base_ref, baseSha: row.base_sha },
    })
    return (sha: string) => rows.filter(({ head_sha }) => head_sha === sha).map(toPull)
  }

  async function readAround(on: Db, repositoryId: number, rows: readonly { sha: string; app_id: number | null }[]) {
    const apps = await readApps(
      on,
      rows.flatMap(({ app_id }) => app_id ?? []),
    )
    const shas = [...new Set(rows.map(({ sha }) => sha))]
    const pullsOf = shas.length === 0 ? () => [] : await readPulls(on, repositoryId, shas)
    return ({ sha, app_id }: { sha: string; app_id: number | null }) => ({
      app: app_id === null ? null : (apps.get(app_id) ?? null),
      pulls: pullsOf(sha),
    })
  }

  async function completeRuns(on: Db, repositoryId: number, rows: readonly RunRow[]): Promise<CheckRun[]> {
    await readLongTexts(on, 'check_run', rows)
    const around = await readAround(on, repositoryId, rows)
    return rows.map((row) => ({ ...toRun(row), ...around(row) }))
  }

  const selectSuites = (on: Db, repositoryId: number) =>
    on.selectFrom('check_suite').selectAll().where('repository_id', '=', repositoryId)

  type SuiteRow = Awaited<ReturnType<ReturnType<typeof selectSuites>['executeTakeFirstOrThrow']>>

  async function completeSuites(on: Db, repositoryId: number, rows: readonly SuiteRow[]): Promise<CheckSuite[]> {
    const around = await readAround(on, repositoryId, rows)
    return rows.map((row) => ({
      ...{ id: row.id, sha: row.sha, status: row.status, conclusion: row.conclusion, headBranch: row.head_branch },
      ...{ latestCount: row.latest_count, createdAt: new Date(row.created_at), updatedAt: new Date(row.updated_at) },
      ...around(row),
    }))
  }

  return {
    async getRun({ id: repositoryId }: Pick<Repository, 'id'>, id: number, on: Db = db): Promise<CheckRun> {
      const row = await selectRuns(on, repositoryId).where('check_run.id', '=', id).executeTakeFirst()
      if (!row) throw notFound()
      const [run] = await completeRuns(on, repositoryId, [row])
      return run!
    },

    /** Newest first. */
    async listRuns({ id }: Pick<Repository, 'id'>, filter: RunFilter, page: PageRequest): Promise<Page<CheckRun>> {
      const { suiteId, sha, name, status, appId, isLatest } = filter
      let query = selectRuns(db, id)
      if (suiteId !== undefined) query = query.where('suite_id', '=', suiteId)
      if (sha !== undefined) query = query.where('sha', '=', sha)
      if (name !== undefined) query = query.where('name', '=', name)
      if (status !== undefined) query = query.where('status', '=', status as RunRow['status'])
      if (appId !== undefined) query = query.where('app_id', '=', appId)
      if (isLatest && sha !== undefined) query = query.where('check_run.id', 'in', selectLatestIds(db, id, sha))
      const ordered = query.orderBy('check_run.id', 'desc').offset(page.offset).limit(page.limit)
      return { total: await countRows(query), items: await completeRuns(db, id, await ordered.execute()) }
    },

    listAnnotations: (runId: number, page: PageRequest): Promise<Page<Annotation>> =>
      readPage(
        db.selectFrom('check_annotation').selectAll().where('run_id', '=', runId).orderBy('id'),
        page,
        (row): Annotation => ({
          ...{ path: row.path, startLine: row.start_line, endLine: row.end_line },
          ...{ startColumn: row.start_column, endColumn: row.end_column, level: row.level as Annotation['level'] },
          ...(JSON.parse(row.body) as Pick<Annotation, 'title' | 'message' | 'rawDetails'>),
        }),
      ),

    async getSuite({ id: repositoryId }: Pick<Repository, 'id'>, id: number, on: Db = db): Promise<CheckSuite> {
      const row = await selectSuites(on, repositoryId).where('id', '=', id).executeTakeFirst()
      if (!row) throw notFound()
      const [suite] = await completeSuites(on, repositoryId, [row])
      return suite!
    },

    async listSuites(
      { id }: Pick<Repository, 'id'>,
      { sha, appId, name }: { sha: string; appId?: number | undefined; name?: string | undefined },
      page: PageRequest,
    ): Promise<Page<CheckSuite>> {
      let query = selectSuites(db, id).where('sha', '=', sha)
      if (appId !== undefined) query = query.where('app_id', '=', appId)
      if (name !== undefined)
        query = query.where('id', 'in', (eb) =>
          eb
            .selectFrom('check_run')
            .select('suite_id')
            .where('repository_id', '=', id)
            .where('sha', '=', sha)
            .where('name', '=', name),
        )
      const ordered = query.orderBy('id', 'desc').offset(page.offset).limit(page.limit)
      return { total: await countRows(query), items: await completeSuites(db, id, await ordered.execute()) }
    },

    /** The newest of these names by each app. */
    async listNamed({ id }: Pick<Repository, 'id'>, sha: string, names: readonly string[]) {
      if (names.length === 0) return []
      return db
        .selectFrom('check_run')
        .select(['name', 'app_id', 'status', 'conclusion'])
        .where('repository_id', '=', id)
        .where('name', 'in', names)
        .where('id', 'in', selectLatestIds(db, id, sha))
        .execute()
    },

    /** All different states that the newest runs of a commit have. */
    listStates: ({ id }: Pick<Repository, 'id'>, sha: string): Promise<CheckState[]> =>
      db
        .selectFrom('check_run')
        .select(['status', 'conclusion'])
        .distinct()
        .where('id', 'in', selectLatestIds(db, id, sha))
        .execute(),
  }
}

const toTime = (at: number | null): Date | null => (at === null ? null : new Date(at))

const toRun = (row: RunRow): Omit<CheckRun, 'app' | 'pulls'> => ({
  ...{ id: row.id, suiteId: row.suite_id, sha: row.sha, name: row.name, externalId: row.external_id },
  ...{ detailsUrl: row.details_url, status: row.status, conclusion: row.conclusion },
  startedAt: toTime(row.started_at),
  completedAt: toTime(row.completed_at),
  output: row.body ? JSON.parse(row.body) : null,
  annotationCount: row.annotation_count,
})
