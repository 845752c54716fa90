/** A cache of small answers: a page of the same items at the same address has the same bytes. */
import { makeLruCache } from '../../lib/lru-cache.ts'
import type { Export } from './export.ts'

const maxBytes = 16 * 1024 * 1024

/** A page, with its bytes if it is small. */
export type SmallAnswer = { readonly page: Export; readonly body: Buffer | null }

export function makeSmallAnswers() {
  const answers = makeLruCache<SmallAnswer>(maxBytes)
  return {
    find: (name: string): SmallAnswer | undefined => answers.find(name),
    /** A large page is not cached, nor rendered before it is sent. */
    async open(name: string, open: () => Promise<Export>): Promise<SmallAnswer> {
      const page = await open()
      if (!page.isSmall) return { page, body: null }
      const make = async (): Promise<SmallAnswer> => {
        const parts: Buffer[] = []
        for await (const part of page.stream()) parts.push(part)
        return { page, body: Buffer.concat(parts) }
      }
      try {
        return await answers.get(name, make, ({ body }) => 2 * body!.length + 4_096)
      } finally {
        await page.close()
      }
    },
  }
}
