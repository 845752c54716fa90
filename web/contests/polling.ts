/** Reloads data at an interval while the page is visible. */
import { useEffect, useRef } from 'preact/hooks'

/** A random delay spreads the requests of readers who opened the page together. */
const spread = (ms: number): number => ms * (0.85 + Math.random() * 0.3)

export function usePolling(read: () => void, everyMs: number): void {
  const latest = useRef(read)
  latest.current = read
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = () => clearTimeout(timer)
    const plan = () => {
      stop()
      timer = setTimeout(() => {
        latest.current()
        plan()
      }, spread(everyMs))
    }
    const look = () => {
      if (document.visibilityState !== 'visible') return stop()
      latest.current()
      plan()
    }
    plan()
    document.addEventListener('visibilitychange', look)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', look)
    }
  }, [everyMs])
}
