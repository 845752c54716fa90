/** The changed files of a commit or a comparison, read a page at a time. */
import { useState } from 'preact/hooks'
import type { ChangedFile } from '../api/forge-types.ts'
import { type Act, useAct } from '../parts/form.tsx'

export type MoreFiles = {
  readonly files: readonly ChangedFile[]
  readonly hasMore: boolean
  readonly act: Act
  loadMore(): void
}

type Page = { readonly files: readonly ChangedFile[]; readonly hasMore: boolean }

export function useMoreFiles(
  first: readonly ChangedFile[],
  hasMore: boolean,
  readPage: (page: number) => Promise<Page>,
): MoreFiles {
  const [pages, setPages] = useState<readonly Page[]>([])
  const act = useAct()
  return {
    files: pages.length === 0 ? first : first.concat(...pages.map(({ files }) => files)),
    hasMore: pages.at(-1)?.hasMore ?? hasMore,
    act,
    loadMore: () =>
      void act.run(async () => {
        const next = await readPage(pages.length + 2)
        setPages([...pages, next])
      }),
  }
}
