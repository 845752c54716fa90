/** What each view says of itself: its title, and that it needs somebody signed in. */
import { useEffect, useState } from 'preact/hooks'
import { go } from './location.ts'
import { useSession } from './session.ts'

export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title) document.title = `${title} · Guildhall`
  }, [title])
}

/** Sends to the sign-in and back; answers whether somebody is signed in. */
export function useSignedIn(): boolean {
  const { account } = useSession()
  // A view that is being left, as by signing out, stays until the next one is loaded, and has no more say.
  const [own] = useState(location.pathname)
  useEffect(() => {
    if (!account && location.pathname === own)
      go(`/-/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`, { replaces: true })
  }, [account, own])
  return account !== undefined
}
