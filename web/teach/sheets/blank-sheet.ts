/** What a new sheet begins with. */
import type { SheetDraft } from '../../api/classes.ts'

const weekMs = 7 * 86_400_000
const fiveMinutesMs = 300_000

/** Opens in a few minutes, so that no earlier submission counts, and is due in a week. */
export function makeBlank(): SheetDraft {
  const OpenTime = Math.ceil(Date.now() / fiveMinutesMs) * fiveMinutesMs
  return {
    Title: '',
    Description: '',
    OpenTime,
    DueTime: OpenTime + weekMs,
    LateUntil: null,
    LateFactor: 1,
    ProblemList: [],
    LanguageList: null,
    SubmissionLimit: null,
    IsPublished: false,
    ShowsOthers: false,
    Template: null,
  }
}
