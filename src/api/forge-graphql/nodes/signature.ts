/** Author or committer of a commit, tagger of a tag, and when. */
import type { Signature } from '../../../forge/git/read/commit.ts'
import type { Graph } from '../graph.ts'
import { formatTime } from '../times.ts'

export const presentSignature = (graph: Graph, { name, email, date }: Signature) => ({
  name,
  email,
  date: formatTime(date),
  async user() {
    const found = await graph.committer(email)
    return found?.kind === 'user' ? graph.make.person(found) : null
  },
})
