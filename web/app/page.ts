/** What each view says of itself: its title, and that it needs somebody signed in. */
import { useEffect } from 'preact/hooks'
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
  useEffect(() => {
    if (!account) go(`/-/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`, { replaces: true })
  }, [account])
  return account !== undefined
}
