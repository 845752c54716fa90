/** The draft of this tab, saved while it is written, and the conflicting draft of another tab. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Draft, isSame, type KeptDraft, lastLanguage, readDraft, watchDraft, writeDraft } from './drafts.ts'

export type OwnDraft = {
  readonly draft: Draft
  /** Another tab's, which is kept until one of the two is chosen. */
  readonly other: Draft | undefined
  change(part: (now: Draft) => Draft): void
  takeOther(): void
  keepOwn(): void
}

export function useDraft(accountId: number, problem: string, languages: readonly string[]): OwnDraft {
  const stamp = useRef<string | undefined>(undefined)
  const [draft, setDraft] = useState<Draft>(() => {
    const kept = readDraft(accountId, problem)
    stamp.current = kept?.stamp
    const wished = [kept?.language, lastLanguage(), 'python'].find(
      (one) => one !== undefined && languages.includes(one),
    )
    return { language: wished ?? languages[0] ?? 'python', texts: kept?.texts ?? {} }
  })
  const latest = useRef(draft)
  latest.current = draft
  const [other, setOther] = useState<KeptDraft>()
  // Not after the next paint: the page may be gone by then.
  useLayoutEffect(() => {
    if (other) return
    const written = writeDraft(accountId, problem, draft, stamp.current)
    if (written === undefined) setOther(readDraft(accountId, problem))
    else stamp.current = written
  }, [accountId, problem, draft, other])
  useEffect(
    () =>
      watchDraft(accountId, problem, () => {
        const kept = readDraft(accountId, problem)
        if (!kept) return
        if (isSame(kept, latest.current)) {
          stamp.current = kept.stamp
          setOther(undefined)
        } else setOther(kept)
      }),
    [accountId, problem],
  )
  const settle = (next: Draft) => {
    stamp.current = readDraft(accountId, problem)?.stamp
    setOther(undefined)
    setDraft({ ...next })
  }
  return {
    draft,
    other,
    change: setDraft,
    takeOther: () => other && settle({ language: other.language, texts: other.texts }),
    keepOwn: () => settle(draft),
  }
}
