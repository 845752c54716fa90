/** The teams that the reader follows on a scoreboard, kept in this browser. */
import { useState } from 'preact/hooks'

/** A limit, because they are shown above the others. */
export const mostFollowed = 5

const keyOf = (contestId: string): string => `followed teams ${contestId}`

function readFollowed(contestId: string): readonly string[] {
  try {
    return JSON.parse(localStorage.getItem(keyOf(contestId)) ?? '[]')
  } catch {
    return []
  }
}

export function useFollowed(contestId: string): { readonly followed: readonly string[]; toggle(id: string): void } {
  const [followed, setFollowed] = useState(() => readFollowed(contestId))
  return {
    followed,
    toggle(id) {
      const next = followed.includes(id) ? followed.filter((one) => one !== id) : [...followed, id].slice(-mostFollowed)
      setFollowed(next)
      try {
        localStorage.setItem(keyOf(contestId), JSON.stringify(next))
      } catch {}
    },
  }
}
