/** Finds the problem that a word names: its UUID or the start of it, its name, or a part of its name. */
import { OperatorError } from '../../lib/failure.ts'
import type { JudgeServer } from './server.ts'

export type ProblemSnippet = {
  readonly UUID: string
  readonly DisplayName: string
  readonly TimeLimitInMillisecond: number
  readonly MemoryLimitInByte: number
  /** Only its author and admins see it. */
  readonly isHeld?: boolean
}

const pageSize = 100
/** Beyond these, a problem can only be named by its UUID. */
const mostProblems = 10_000

/** The caller's own held problems are only in the caller's list. */
export async function listProblems(judge: JudgeServer): Promise<ProblemSnippet[]> {
  const { Account } = await judge.call('get_session', {})
  const problems = await readList(judge, 'get_problem_snippet_list', {})
  const own = await readList(judge, 'get_account_problem_snippet_list', { AccountID: Account.ID })
  const listed = new Set(problems.map(({ UUID }) => UUID))
  return [...own.filter(({ UUID }) => !listed.has(UUID)).map((one) => ({ ...one, isHeld: true })), ...problems]
}

async function readList({ call }: JudgeServer, method: string, params: object): Promise<ProblemSnippet[]> {
  const problems: ProblemSnippet[] = []
  for (let Offset = 0; Offset < mostProblems; Offset += pageSize) {
    const { ProblemSnippetList } = await call(method, { ...params, Offset, Limit: pageSize })
    problems.push(...ProblemSnippetList)
    if (ProblemSnippetList.length < pageSize) break
  }
  return problems
}

/** `word` is the value of `--problem`, or else the file's name without its ending. */
export async function chooseProblem(
  judge: JudgeServer,
  word: string,
  isFileName: boolean,
): Promise<Pick<ProblemSnippet, 'UUID' | 'DisplayName'>> {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word))
    return (await judge.call('get_problem', { UUID: word })).Problem
  const problems = await listProblems(judge)
  const subject = isFileName ? `The file’s name, ${JSON.stringify(word)},` : JSON.stringify(word)
  for (const means of meanings(word, isFileName)) {
    const found = problems.filter(means)
    if (found.length === 1) return found[0]!
    if (found.length > 1) throw new OperatorError(`${subject} may mean ${list(found)}. ${advice}`)
  }
  if (problems.length === 0) throw new OperatorError(`${subject} is not a problem here: there are none yet.`)
  const next = isFileName ? 'name one with --problem:' : 'there are'
  throw new OperatorError(`${subject} is not a problem here: ${next} ${list(problems)}. ${advice}`)
}

type Test = (problem: ProblemSnippet) => boolean

/** From the narrowest to the widest; the first with any match decides. */
function meanings(word: string, isFileName: boolean): readonly Test[] {
  const plain = simplify(word)
  if (plain === '') return []
  const byName: Test = ({ DisplayName }) => simplify(DisplayName) === plain
  if (isFileName) return [byName]
  return [
    ({ DisplayName }) => DisplayName === word,
    byName,
    ({ UUID }) => word.length >= 4 && UUID.startsWith(word.toLowerCase()),
    ({ DisplayName }) => simplify(DisplayName).includes(plain),
  ]
}

/** `hello_world.py` matches `Hello, World!`. */
const simplify = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

const advice = 'The first characters of a UUID also name a problem; the command problems lists all.'
const shown = 5

function list(problems: readonly ProblemSnippet[]): string {
  const names = problems.slice(0, shown).map(({ DisplayName, UUID }) => `${DisplayName} (${UUID.slice(0, 8)})`)
  return `${names.join(', ')}${problems.length > shown ? ', …' : ''}`
}
