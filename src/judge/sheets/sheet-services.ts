/** The services of exercise sheets, made once and connected. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import { makeClassAccess } from '../classes/class-access.ts'
import type { Limits } from '../limits.ts'
import type { CodeHost } from '../problem-links/code-host.ts'
import type { ProblemLinks } from '../problem-links/problem-links.ts'
import type { Problems } from '../problems/problems.ts'
import type { StoreSheet } from '../results/grade-sheet.ts'
import type { Submissions } from '../submissions/submissions.ts'
import { makeClassResults } from './class-results.ts'
import type { RenderTable } from './results.ts'
import { makeSheetCopies } from './sheet-copies.ts'
import { makeSheetMarks } from './sheet-marks.ts'
import { makeSheetNews } from './sheet-news.ts'
import { makeSheetResults } from './sheet-results.ts'
import { makeSheets } from './sheets.ts'
import { makeSubmissionComments } from './submission-comments.ts'

type Needs = {
  store: Store
  clock: Clock
  limits: Limits
  problems: Problems
  submissions: Submissions
  storeSheet: StoreSheet
  renderTable: RenderTable
  accounts: Pick<Accounts, 'findById'>
  links: ProblemLinks
  host: CodeHost
  /** Markdown as safe HTML. */
  renderText(actor: Actor, text: string): Promise<string>
}

export type SheetServices = ReturnType<typeof makeSheetServices>

export function makeSheetServices(needs: Needs) {
  const { store, clock, limits, problems, submissions, storeSheet, renderTable, accounts, links, host, renderText } =
    needs
  const access = makeClassAccess(store)
  const { demandTemplate } = host
  const sheets = makeSheets({ store, clock, access, problems, demandTemplate, limits })
  const sheetResults = makeSheetResults({ store, sheets, storeSheet, renderTable })
  return {
    sheets,
    sheetCopies: makeSheetCopies({ store, clock, sheets, access, accounts, links, host }),
    renderSheet: async (actor: Actor, id: number) => renderText(actor, (await sheets.get(actor, id)).description),
    sheetNews: makeSheetNews({ store, clock, sheets }),
    sheetResults,
    classResults: makeClassResults({ store, access, sheets, sheetResults, renderTable }),
    sheetMarks: makeSheetMarks({ store, clock, sheets }),
    submissionComments: makeSubmissionComments({ store, clock, submissions, limits }),
  }
}
