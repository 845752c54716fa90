/**
 * Drafts of programs, kept in this browser by account, problem and language. Two tabs never silently overwrite each
 * other.
 */
export type Draft = { readonly language: string; readonly texts: Readonly<Record<string, string>> }

/** `stamp`: which write it was. */
export type KeptDraft = Draft & { readonly stamp?: string }

const keyOf = (accountId: number, problem: string): string => `draft ${accountId} ${problem}`

export function readDraft(accountId: number, problem: string): KeptDraft | undefined {
  try {
    return JSON.parse(localStorage.getItem(keyOf(accountId, problem)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/**
 * `known`: the stamp of what this tab read or wrote last. Answers the new one, or undefined where another tab has written
 * something else meanwhile, which then stays. A browser that keeps nothing (a private window, a full store) still lets one
 * hand in.
 */
export function writeDraft(
  accountId: number,
  problem: string,
  { language, texts }: Draft,
  known: string | undefined,
): string | undefined {
  const kept = readDraft(accountId, problem)
  if (kept && kept.stamp !== known && !isSame(kept, { language, texts })) return undefined
  const stamp = crypto.randomUUID()
  try {
    localStorage.setItem(keyOf(accountId, problem), JSON.stringify({ language, texts, stamp }))
    localStorage.setItem('language', language)
  } catch {}
  return stamp
}

/** An empty text is none. */
export const isSame = (a: Draft, b: Draft): boolean =>
  [...new Set([...Object.keys(a.texts), ...Object.keys(b.texts)])].every(
    (language) => (a.texts[language] ?? '') === (b.texts[language] ?? ''),
  )

/** Calls `listener` whenever another tab has written, until the function it answers is called. */
export function watchDraft(accountId: number, problem: string, listener: () => void): () => void {
  const key = keyOf(accountId, problem)
  const hear = (event: StorageEvent) => event.key === key && listener()
  addEventListener('storage', hear)
  return () => removeEventListener('storage', hear)
}

export function lastLanguage(): string | undefined {
  try {
    return localStorage.getItem('language') ?? undefined
  } catch {
    return undefined
  }
}
