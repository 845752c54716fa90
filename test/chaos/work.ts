/** Mixed work over the three interfaces and git: each worker goes on until it is told, and remembers what was answered. */
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeWorkingFolder, remoteUrl } from '../support/git.ts'
import { RpcFault } from '../support/rpc.ts'
import { admin } from '../support/server.ts'
import { type Client, Unanswered } from './client.ts'

export type Remembered = {
  readonly accounts: string[]
  readonly problems: { uuid: string; name: string }[]
  /** By a mark in the source, one for each try: a try that was not answered may be there as well, once. */
  readonly submissions: { mark: string; id: number; result: number }[]
  readonly submissionTries: Map<string, number>
  /** The commits whose push was answered, by repository. */
  readonly pushes: Map<string, string[]>
  /** Each data set's pushes in the order in which they were answered, and every try. */
  readonly items: Map<string, { answered: string[]; tried: Set<string> }>
}

export const makeRemembered = (): Remembered => ({
  accounts: [],
  problems: [],
  submissions: [],
  submissionTries: new Map(),
  pushes: new Map(),
  items: new Map(),
})

/** A worker does one thing after the other; none of them is begun once it is to end. */
export type Worker = (client: Client, known: Remembered, goesOn: () => boolean) => Promise<void>

const conflict = 7

/** After a try without an answer, that a name is taken says that it was carried out. */
async function takenIsDone(attempt: number, act: () => Promise<unknown>): Promise<true> {
  try {
    await act()
  } catch (error) {
    if (!(attempt > 1 && error instanceof RpcFault && error.code === conflict)) throw error
  }
  return true
}

export const signUp: Worker = async (client, known, goesOn) => {
  while (goesOn()) {
    const AccountName = `chaos-${randomUUID().slice(0, 18)}`
    const draft = { AccountName, DisplayName: 'x', Role: 'contestant', Password: 'a long password' }
    const isDone = await client.insist((url, attempt) =>
      takenIsDone(attempt, () => client.rpc(url, 'create_account', draft)),
    )
    if (isDone) known.accounts.push(AccountName)
  }
}

export const setProblems: Worker = async (client, known, goesOn) => {
  while (goesOn()) {
    const name = `Problem ${randomUUID()}`
    const made = await client.insist((url) => client.rpc(url, 'create_problem', problemDraft(name)))
    if (made) known.problems.push({ uuid: made.Problem.UUID, name })
  }
}

export const problemDraft = (DisplayName: string) => ({
  DisplayName,
  Description: 'Add two numbers.',
  TimeLimitInMillisecond: 5_000,
  MemoryLimitInByte: 256 * 1024 * 1024,
  ExampleList: [],
})

const [isOk, wrongAnswer] = [1, 6]

const sources: Record<string, (mark: string, shown: number) => string> = {
  python: (mark, shown) => `# ${mark}\nprint(${shown})\n`,
  c: (mark, shown) => `// ${mark}\n#include <stdio.h>\nint main(void) { printf("${shown}\\n"); }\n`,
}

/** Of right and of wrong programs; the expected output is 3. */
export const handIn =
  (problemUuid: string, language: string): Worker =>
  async (client, known, goesOn) => {
    while (goesOn()) {
      const result = client.random.isChance(0.6) ? isOk : wrongAnswer
      let mark = ''
      const made = await client.insist((url) => {
        mark = `mark ${randomUUID()}`
        known.submissionTries.set(mark, result)
        const Content = sources[language]!(mark, result === isOk ? 3 : 4)
        return client.rpc(url, 'create_submission', { ProblemUUID: problemUuid, Language: language, Content })
      })
      if (made) known.submissions.push({ mark, id: made.SubmissionSnippet.ID, result })
    }
  }

export const keepItems: Worker = async (client, known, goesOn) => {
  const name = `chaos-${randomUUID().slice(0, 18)}`
  const made = await client.insist((url) => client.http(url, 'POST', `/v2/datasets?name=${name}`))
  if (!made) return
  const { id } = made.body.data
  const items = { answered: [] as string[], tried: new Set<string>() }
  known.items.set(id, items)
  for (let number = 0; goesOn(); number++) {
    let mark = ''
    const answer = await client.insist((url, attempt) => {
      mark = `${number}.${attempt}`
      items.tried.add(mark)
      return client.http(url, 'POST', `/v2/datasets/${id}/items`, [
        { mark, part: 0 },
        { mark, part: 1 },
      ])
    })
    if (answer?.status === 201) items.answered.push(mark)
    else if (answer) throw new Error(`a push of items: ${JSON.stringify(answer)}`)
  }
}

const pushesPerRepository = 5
const pushMs = 20_000

export const pushCommits: Worker = async (client, known, goesOn) => {
  while (goesOn()) {
    const name = `chaos-${randomUUID().slice(0, 18)}`
    const made = await client.insist(async (url, attempt) => {
      const answer = await client.http(url, 'POST', '/user/repos', { name })
      if (answer.status === 201 || (answer.status === 422 && attempt > 1)) return true
      throw new Error(`a repository: ${JSON.stringify(answer)}`)
    })
    if (!made) return
    const shas: string[] = []
    known.pushes.set(name, shas)
    const folder = await makeWorkingFolder()
    try {
      for (let number = 0; number < pushesPerRepository && goesOn(); number++) {
        await writeFile(join(folder.path, 'file'), `${number} ${'x'.repeat(client.random.below(20_000))}\n`)
        await folder.must('add', '.')
        await folder.must('commit', '--quiet', '-m', `${number}`)
        const sha = await folder.must('rev-parse', 'HEAD')
        const pushed = await client.insist(async (url) => {
          const remote = remoteUrl(url, `${admin.name}/${name}`, admin.name, admin.token)
          // A server that is frozen says nothing: git gives up once so little has come for so long.
          const patience = ['-c', 'http.lowSpeedLimit=1', '-c', `http.lowSpeedTime=${pushMs / 1000}`]
          const { code, output } = await folder.git(...patience, 'push', '--quiet', remote, 'HEAD:refs/heads/main')
          if (code !== 0) throw new Unanswered(output)
          return true
        })
        if (pushed) shas.push(sha)
      }
    } finally {
      await folder.drop()
    }
  }
}
