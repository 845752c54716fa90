/** Reads something anew when the server says that it changed, and not more often than people can follow. */
import { useEffect, useRef } from 'preact/hooks'
import { useSession } from '../app/session.ts'

type Watch = (listener: () => void) => () => void

/** The first hint is followed at once, those right after it together. */
export function useLive(watch: Watch, reload: () => void, calmMs = 300, key: unknown = undefined): void {
  const latest = useRef(reload)
  latest.current = reload
  const { account } = useSession()
  useEffect(() => {
    // The stream is for people who are signed in; others see what changed when they look again.
    if (!account) return
    let readAt = performance.now()
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = () => {
      timer = undefined
      readAt = performance.now()
      latest.current()
    }
    const stop = watch(() => {
      timer ??= setTimeout(read, Math.max(0, readAt + calmMs - performance.now()))
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [key, account])
}
