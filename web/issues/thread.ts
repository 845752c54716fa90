/**
 * An issue or a pull with its timeline, read together: the first and the last page of a long one, and those between
 * when they are wanted.
 */
import { useState } from 'preact/hooks'
import { asFull, read, readList, repositoryPath } from '../api/forge.ts'
import type { Issue, TimelineItem } from '../api/issue-types.ts'
import { type Loaded, useLoad } from '../app/load.ts'

export type Place = { readonly owner: string; readonly repo: string; readonly number: number }

export type Thread = {
  readonly issue: Issue
  /** The first and the last items; `hidden` counts those between them. */
  readonly first: readonly TimelineItem[]
  readonly last: readonly TimelineItem[]
  /** Items between the two that are not shown yet. */
  readonly hidden: number
}

const size = 100

export const placeOfThread = ({ owner = '', repo = '', number = '' }: Readonly<Record<string, string>>): Place => ({
  owner,
  repo,
  number: Number(number),
})

export const threadPath = ({ owner, repo, number }: Place, ...rest: readonly (string | number)[]): string =>
  repositoryPath(owner, repo, 'issues', number, ...rest)

export function useThread(place: Place): { loaded: Loaded<Thread>; showMore(): void } {
  const [pages, setPages] = useState(1)
  const loaded = useLoad(`thread ${threadPath(place)} ${pages}`, () => readThread(place, pages))
  return { loaded, showMore: () => setPages(pages + 1) }
}

async function readThread(place: Place, pages: number): Promise<Thread> {
  const readPage = (page: number) =>
    readList<TimelineItem>(threadPath(place, 'timeline'), { per_page: size, page }, asFull)
  const numbers = Array.from({ length: pages }, (_, at) => at + 1)
  const [issue, ...read_] = await Promise.all([
    read<Issue>(threadPath(place), {}, asFull),
    ...numbers.map((page) => readPage(page)),
  ])
  const lastPage = read_.find(({ lastPage }) => lastPage !== undefined)?.lastPage ?? 1
  const first = read_.flatMap(({ items }) => items)
  if (lastPage <= pages) return { issue, first, last: [], hidden: 0 }
  const last = (await readPage(lastPage)).items
  return { issue, first, last, hidden: (lastPage - 1 - pages) * size }
}
