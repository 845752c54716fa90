/** Passwords that are shown once: asks before a page is left on which they were not printed. */
import { useEffect, useState } from 'preact/hooks'
import { useUnsavedGuard } from '../app/page.ts'

const leaveQuestion = 'These passwords were not printed, and they will not be shown again. Leave anyway?'

/** `what` is printed as a whole: with one more password it is not printed any more. */
export function usePrintOnce(what: string): { readonly isPrinted: boolean; printAll(): void } {
  const [printed, setPrinted] = useState('')
  const isPrinted = printed === what
  const guard = useUnsavedGuard(leaveQuestion)
  if (isPrinted) guard.clear()
  else guard.note()
  useEffect(() => {
    const note = () => setPrinted(what)
    addEventListener('beforeprint', note)
    return () => removeEventListener('beforeprint', note)
  }, [what])
  return {
    isPrinted,
    printAll() {
      setPrinted(what)
      print()
    },
  }
}
