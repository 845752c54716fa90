/** The newest commit of each entry of a folder, read a page at a time as the entries come into sight. */
import { useCallback, useMemo, useRef, useState } from 'preact/hooks'
import type { Commit, Repository } from '../../api/forge-types.ts'
import { useLoad } from '../../app/load.ts'
import { type CodePlace, toRef } from '../place.ts'
import { type LastCommit, readLastCommits } from './folder.ts'

export type LastCommits = {
  /** Undefined while it is not known. */
  of(path: string): Commit | null | undefined
  want(page: number): void
}

/** For one place: another place needs another component. */
export function useLastCommits(repository: Repository, place: CodePlace): LastCommits {
  const { owner, name } = repository
  const ref = toRef(place)
  const readPage = (page: number) => readLastCommits(owner.login, name, place.path, ref, page)
  const first = useLoad(`last commits ${repository.full_name} ${ref} ${place.path}`, () => readPage(1))
  const [further, setFurther] = useState<readonly LastCommit[]>([])
  const asked = useRef(new Set([1]))
  const known = useMemo(
    () => new Map([...(first.value ?? []), ...further].map(({ path, commit }) => [path, commit])),
    [first.value, further],
  )
  const want = useCallback((page: number) => {
    if (asked.current.has(page)) return
    asked.current.add(page)
    readPage(page).then(
      (found) => setFurther((now) => now.concat(found ?? [])),
      // Asked again when an entry of the page comes into sight again.
      () => asked.current.delete(page),
    )
  }, [])
  return { of: (path) => known.get(path), want }
}
