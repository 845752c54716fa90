/** Hooks for views: the title, required sign-in, and unsaved changes. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { go, setGuard } from './location.ts'
import { useSession } from './session.ts'

export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title) document.title = `${title} · Guildhall`
  }, [title])
}

/** Redirects to the sign-in and back; answers whether somebody is signed in. */
export function useSignedIn(): boolean {
  const { account } = useSession()
  // A view that is being left stays until the next one is loaded, and must not redirect any more.
  const [own] = useState(location.pathname)
  useEffect(() => {
    if (!account && location.pathname === own)
      go(`/-/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`, { replaces: true })
  }, [account, own])
  return account !== undefined
}

/** Asks before the view is left while something is noted that is not saved. */
export function useUnsavedGuard(question = 'Your changes are not saved. Leave anyway?'): {
  note(): void
  clear(): void
} {
  const isChanged = useRef(false)
  useEffect(() => {
    setGuard(() => (isChanged.current ? question : undefined))
    return () => setGuard(undefined)
  }, [])
  return {
    note() {
      isChanged.current = true
    },
    clear() {
      isChanged.current = false
    },
  }
}
