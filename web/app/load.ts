/** Reading for a view: at once from what was read before (so that going back shows the page as it was), and then anew. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

export type Loaded<T> = {
  readonly value: T | undefined
  readonly error: unknown
  readonly isLoading: boolean
  reload(): void
  /** Shows another value until the next reading. */
  replace(value: T): void
}

const kept = new Map<string, unknown>()
const mostKept = 60

export const forgetAll = (): void => kept.clear()

function keep(key: string, value: unknown): void {
  kept.delete(key)
  kept.set(key, value)
  const [oldest] = kept.keys()
  if (kept.size > mostKept) kept.delete(oldest!)
}

type State<T> = {
  readonly key: string
  readonly value?: T | undefined
  readonly error?: unknown
  readonly isLoading: boolean
}

/** `key` names what is read: another one is another reading. */
export function useLoad<T>(key: string, read: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<State<T>>({ key, value: kept.get(key) as T | undefined, isLoading: true })
  const latest = useRef(read)
  latest.current = read
  const turn = useRef(0)

  const reload = useCallback(() => {
    const mine = ++turn.current
    setState((now) => ({
      key,
      value: now.key === key ? now.value : (kept.get(key) as T | undefined),
      error: undefined,
      isLoading: true,
    }))
    latest.current().then(
      (value) => {
        keep(key, value)
        if (mine === turn.current) setState({ key, value, isLoading: false })
      },
      (error) => mine === turn.current && setState((now) => ({ ...now, error, isLoading: false })),
    )
  }, [key])

  useEffect(() => {
    reload()
    return () => void turn.current++
  }, [reload])

  const replace = (value: T) => {
    keep(key, value)
    setState({ key, value, isLoading: false })
  }
  const isOwn = state.key === key
  return {
    value: isOwn ? state.value : (kept.get(key) as T | undefined),
    error: isOwn ? state.error : undefined,
    isLoading: state.isLoading || !isOwn,
    reload,
    replace,
  }
}
