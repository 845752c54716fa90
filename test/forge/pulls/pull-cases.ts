/** Requests that succeed for every route of pulls. */
import type { Case, Params } from '../route-cases.ts'
import type { World } from '../world.ts'

let count = 0

/** A branch with a commit of its own. */
async function makeBranch({ ann, shas }: World, { repo }: Params): Promise<string> {
  const branch = `topic-${++count}`
  const place = `/repos/ann/${repo}`
  await ann.post(`${place}/git/refs`, { ref: `refs/heads/${branch}`, sha: shas.commit })
  const content = Buffer.from(`${branch}\n`).toString('base64')
  await ann.put(`${place}/contents/${branch}.txt`, { message: branch, content, branch })
  return branch
}

export const freshPull: Case['fresh'] = async (world, params) => {
  const head = await makeBranch(world, params)
  const { body } = await world.ann.post(`/repos/ann/${params.repo}/pulls`, { title: head, head, base: 'main' })
  return { pull_number: body.number, file: `${body.number}.diff`, sha: body.head.sha }
}

/** One that can be brought up to date: main goes on after it. */
const behindPull: Case['fresh'] = async (world, params) => {
  const made = await freshPull(world, params)
  const other = await freshPull(world, params)
  await world.ann.put(`/repos/ann/${params.repo}/pulls/${other.pull_number}/merge`)
  return made
}

const mergedPull: Case['fresh'] = async (world, params) => {
  const made = await freshPull(world, params)
  await world.ann.put(`/repos/ann/${params.repo}/pulls/${made.pull_number}/merge`)
  return made
}

export const pullCases: Record<string, Case> = {
  'list-pull-requests': { fresh: freshPull },
  'create-a-pull-request': {
    fresh: async (world, params) => ({ head: await makeBranch(world, params) }),
    body: (_world, { head = 'topic' }) => ({ title: 'A pull', head, base: 'main', body: 'Please.' }),
  },
  'get-a-pull-request': { fresh: freshPull },
  'update-a-pull-request': { fresh: freshPull, body: { title: 'Better', draft: true } },
  'list-commits-on-a-pull-request': { fresh: freshPull },
  'list-pull-requests-files': { fresh: freshPull },
  'check-if-a-pull-request-has-been-merged': { fresh: mergedPull },
  'merge-a-pull-request': { fresh: freshPull, body: { merge_method: 'squash' } },
  'update-a-pull-request-branch': { fresh: behindPull, body: {} },
  'list-pull-requests-associated-with-a-commit': {
    fresh: async (world, params) => ({ commit_sha: (await freshPull(world, params)).sha! }),
    params: ({ shas }) => ({ commit_sha: shas.commit }),
  },
  'get-a-pull-request-as-text': { fresh: freshPull, params: () => ({ file: '999999.diff' }) },
}
