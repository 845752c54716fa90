/** A list of submissions that is read anew as they change: after a moment, so that a class that hands in at once is one reading and not thirty. */
import { useEffect } from 'preact/hooks'
import { watchAll, watchSubmission } from '../api/live.ts'

/** `ids`: which to watch, with commas; undefined: all there are. With `isOff` nothing is watched. */
export function useWatchedList(reload: () => void, pauseMs: number, { ids, isOff = false }: Options = {}): void {
  useEffect(() => {
    if (isOff) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        reload()
      }, pauseMs)
    }
    const stops =
      ids === undefined
        ? [watchAll(soon)]
        : ids
            .split(',')
            .filter(Boolean)
            .map((id) => watchSubmission(Number(id), soon))
    return () => {
      clearTimeout(timer)
      for (const stop of stops) stop()
    }
  }, [reload, pauseMs, ids, isOff])
}

type Options = { readonly ids?: string | undefined; readonly isOff?: boolean }
