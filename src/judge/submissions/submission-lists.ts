/** The four lists of submissions, newest first: all, by account, by problem, by both. */
import type { Clock } from '../../lib/clock.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Store } from '../../store/store.ts'
import { inHiddenSubmissions } from '../contest-access/shown-submissions.ts'
import {
  heldProblems,
  isShownTo,
  kindOf,
  type SubmissionCounts,
  type SubmissionList,
  type Viewer,
} from './submission-counts.ts'
import { hasExpired, type OwnRow, type SubmissionSnippet, snippetColumns, toSnippet } from './submission-row.ts'

type Needs = {
  store: Store
  clock: Clock
  counts: SubmissionCounts
  /** Returns submissions whose lease has expired to the queue. */
  returnExpired(): Promise<void>
}

type Found = { readonly row: OwnRow; readonly snippet: SubmissionSnippet }
type ReadPage = (args: PageArgs) => Promise<Found[]>
type PageArgs = SubmissionList & { highestId: number; skip: number; limit: number }

export type SubmissionLists = ReturnType<typeof makeSubmissionLists>

export function makeSubmissionLists({ store, clock, counts, returnExpired }: Needs) {
  const { db } = store

  /**
   * The inner query finds the ids in an index alone; only the page's rows are read. They come in any order, since
   * SQLite sorts them more slowly.
   */
  const selectPage = (
    args: PageArgs,
    hasAuthor: boolean,
    hasProblem: boolean,
    withoutHeld: boolean,
    viewer?: Viewer,
    hiddenFrom?: number,
  ) =>
    db
      .selectFrom(
        db
          .selectFrom('submission')
          .select('id as page_id')
          .where('id', '<=', args.highestId)
          .$if(hasAuthor, (query) => query.where('author_id', '=', args.authorId))
          .$if(hasProblem, (query) => query.where('problem_id', '=', args.problemId))
          .$if(withoutHeld, (query) => query.where('problem_id', 'not in', heldProblems(db)))
          .$if(viewer !== undefined, (query) => query.where(isShownTo(db, viewer!)))
          .$if(hiddenFrom !== undefined, (query) => query.where((eb) => eb.not(inHiddenSubmissions(db, hiddenFrom!))))
          .orderBy('id', 'desc')
          .limit(args.limit)
          .offset(args.skip)
          .as('page'),
      )
      .innerJoin('submission', 'submission.id', 'page_id')

  const withNames = (page: ReturnType<typeof selectPage>) =>
    page
      .innerJoin('account', 'account.id', 'submission.author_id')
      .innerJoin('problem', 'problem.id', 'submission.problem_id')
      .select(snippetColumns)
  const readPage = (hasAuthor: boolean, hasProblem: boolean, withoutHeld = false): ReadPage => {
    const read = prepareQuery(db, (args: PageArgs) => withNames(selectPage(args, hasAuthor, hasProblem, withoutHeld)))
    return async (args) => (await read(args)).map(toFound)
  }
  const readPageFor =
    (omission: 'none' | 'held' | Viewer, hiddenFrom?: number): ReadPage =>
    async (args) => {
      const viewer = typeof omission === 'object' ? omission : undefined
      const [hasAuthor, hasProblem] = [args.authorId !== 0, args.problemId !== 0]
      const page = selectPage(args, hasAuthor, hasProblem, omission === 'held', viewer, hiddenFrom)
      return (await withNames(page).execute()).map(toFound)
    }

  const pages = {
    all: readPage(false, false),
    author: readPage(true, false),
    problem: readPage(false, true),
    both: readPage(true, true),
  }
  const pagesWithoutHeld = { ...pages, all: readPage(false, false, true), author: readPage(true, false, true) }

  async function readOnce(list: SubmissionList, { offset, limit }: PageRequest, viewer?: Viewer, hiddenFrom?: number) {
    const { total, highestId, skip, omission } = await counts.locate(list, offset, viewer, hiddenFrom)
    const kept = omission === 'held' ? pagesWithoutHeld : pages
    const isOwn = typeof omission === 'object' || hiddenFrom !== undefined
    const read = isOwn ? readPageFor(omission, hiddenFrom) : kept[kindOf(list)]
    const page = highestId === 0 ? [] : await read({ ...list, highestId, skip, limit })
    return { total, page: page.sort((a, b) => b.row.id - a.row.id) }
  }

  return {
    /** `viewer`: a reader from whom sheets hide some. `hiddenFrom`: an account from which contests hide some. */
    async read(
      list: SubmissionList,
      page: PageRequest,
      viewer?: Viewer,
      hiddenFrom?: number,
    ): Promise<Page<SubmissionSnippet>> {
      let found = await readOnce(list, page, viewer, hiddenFrom)
      if (found.page.some(({ row }) => hasExpired(row, clock.now()))) {
        await returnExpired()
        found = await readOnce(list, page, viewer, hiddenFrom)
      }
      return { total: found.total, items: found.page.map(({ snippet }) => snippet) }
    },
  }
}

const toFound = (row: Parameters<typeof toSnippet>[0]): Found => ({ row, snippet: toSnippet(row) })
