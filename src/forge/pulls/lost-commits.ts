/** An imported pull may name commits that came with no git data: git has nothing to say of it then. */
import type { GitReading } from '../git/read/git-reading.ts'
import type { Pull } from './pull.ts'

export type UnlessLost = <T>(pull: Pull, nothing: T, act: () => Promise<T>) => Promise<T>

export const makeUnlessLost =
  (reading: GitReading): UnlessLost =>
  async ({ base, head }, nothing, act) => {
    try {
      return await act()
    } catch (error) {
      const ends = await Promise.all([base.sha, head.sha].map((sha) => reading.head(base.repository, sha)))
      if (!ends.includes(undefined)) throw error
      return nothing
    }
  }
