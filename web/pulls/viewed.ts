/** Which files of a pull one has viewed: remembered in this browser by account, each until its content changes. */
import { useEffect, useState } from 'preact/hooks'
import type { ChangedFile } from '../api/forge-types.ts'
import { getSession } from '../app/session.ts'

type Viewed = Readonly<Record<string, string>>

export type ViewedFiles = {
  has(file: ChangedFile): boolean
  set(file: ChangedFile, isViewed: boolean): void
}

const mostFiles = 3_000

/** A deleted file has no content: that it is gone is what was seen. */
const contentOf = ({ sha, status }: ChangedFile): string => sha ?? status

function read(key: string): Viewed {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Viewed
  } catch {
    return {}
  }
}

/** `pull` is its path. Other tabs follow. */
export function useViewed(pull: string): ViewedFiles {
  const key = `viewed ${getSession().account?.ID ?? 0} ${pull}`
  const [viewed, show] = useState(() => read(key))
  useEffect(() => {
    const look = (event: StorageEvent) => event.key === key && show(read(key))
    addEventListener('storage', look)
    return () => removeEventListener('storage', look)
  }, [key])
  return {
    has: (file) => viewed[file.filename] === contentOf(file),
    set(file, isViewed) {
      const { [file.filename]: _one, ...others } = read(key)
      const next = isViewed ? { ...others, [file.filename]: contentOf(file) } : others
      const bounded = Object.fromEntries(Object.entries(next).slice(-mostFiles))
      show(bounded)
      try {
        localStorage.setItem(key, JSON.stringify(bounded))
      } catch {
        // It is remembered for this view alone.
      }
    },
  }
}
