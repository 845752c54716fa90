/** The four lists of submissions, newest first: all, an account's, a problem's, an account's to a problem. */
import type { Clock } from '../../base/clock.ts'
import type { Page, PageRequest } from '../../base/page.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Store } from '../../store/store.ts'
import { heldProblems, kindOf, type SubmissionCounts, type SubmissionList } from './submission-counts.ts'
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

  /** The inner query finds the ids in an index alone; only the rows of the page are read, in any order: SQLite would sort them more slowly. */
  const selectPage = (args: PageArgs, hasAuthor: boolean, hasProblem: boolean, withoutHeld: boolean) =>
    db
      .selectFrom(
        db
          .selectFrom('submission')
          .select('id as page_id')
          .where('id', '<=', args.highestId)
          .$if(hasAuthor, (query) => query.where('author_id', '=', args.authorId))
          .$if(hasProblem, (query) => query.where('problem_id', '=', args.problemId))
          .$if(withoutHeld, (query) => query.where('problem_id', 'not in', heldProblems(db)))
          .orderBy('id', 'desc')
          .limit(args.limit)
          .offset(args.skip)
          .as('page'),
      )
      .innerJoin('submission', 'submission.id', 'page_id')

  const readPage = (hasAuthor: boolean, hasProblem: boolean, withoutHeld = false): ReadPage => {
    const read = prepareQuery(db, (args: PageArgs) =>
      selectPage(args, hasAuthor, hasProblem, withoutHeld)
        .innerJoin('account', 'account.id', 'submission.author_id')
        .innerJoin('problem', 'problem.id', 'submission.problem_id')
        .select(snippetColumns),
    )
    return async (args) => (await read(args)).map((row) => ({ row, snippet: toSnippet(row) }))
  }

  const pages = {
    all: readPage(false, false),
    author: readPage(true, false),
    problem: readPage(false, true),
    both: readPage(true, true),
  }
  const pagesWithoutHeld = { ...pages, all: readPage(false, false, true), author: readPage(true, false, true) }

  async function readOnce(list: SubmissionList, { offset, limit }: PageRequest) {
    const { total, highestId, skip, withoutHeld } = await counts.locate(list, offset)
    const read = (withoutHeld ? pagesWithoutHeld : pages)[kindOf(list)]
    const page = highestId === 0 ? [] : await read({ ...list, highestId, skip, limit })
    return { total, page: page.sort((a, b) => b.row.id - a.row.id) }
  }

  return {
    async read(list: SubmissionList, page: PageRequest): Promise<Page<SubmissionSnippet>> {
      let found = await readOnce(list, page)
      if (found.page.some(({ row }) => hasExpired(row, clock.now()))) {
        await returnExpired()
        found = await readOnce(list, page)
      }
      return { total: found.total, items: found.page.map(({ snippet }) => snippet) }
    },
  }
}
