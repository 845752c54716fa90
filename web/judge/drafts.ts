/** What was written for a problem and not handed in yet: kept in this browser, by account, problem and language. */
export type Draft = { readonly language: string; readonly texts: Readonly<Record<string, string>> }

const keyOf = (accountId: number, problem: string): string => `draft ${accountId} ${problem}`

export function readDraft(accountId: number, problem: string): Draft | undefined {
  try {
    return JSON.parse(localStorage.getItem(keyOf(accountId, problem)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** A browser that keeps nothing (a private window, a full store) still lets one hand in. */
export function writeDraft(accountId: number, problem: string, draft: Draft): void {
  try {
    localStorage.setItem(keyOf(accountId, problem), JSON.stringify(draft))
    localStorage.setItem('language', draft.language)
  } catch {}
}

export function lastLanguage(): string | undefined {
  try {
    return localStorage.getItem('language') ?? undefined
  } catch {
    return undefined
  }
}
