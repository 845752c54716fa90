/** Reads lists that the judge returns in pages. */

const pageLimit = 100

type Page = Record<string, unknown> & { readonly TotalTestCaseCount: number }

/** Reads all pages of a problem's tests; `member` is the list's name. */
export async function readPages<T>(
  readPage: (range: { Offset: number; Limit: number }) => Promise<Page>,
  member: string,
): Promise<T[]> {
  const all: T[] = []
  for (;;) {
    const page = await readPage({ Offset: all.length, Limit: pageLimit })
    const list = page[member] as T[]
    all.push(...list)
    if (list.length === 0 || all.length >= page.TotalTestCaseCount) return all
  }
}
