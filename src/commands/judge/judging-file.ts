/** The JSON file of `problem judging --set`: how a problem and its tests are judged. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { OperatorError } from '../../lib/failure.ts'

/** In the interface's own words. For a program's file, `Path`, relative to the JSON file, may replace `Content`. */
export type DescribedJudging = {
  readonly Judging?: Members & { readonly GroupList?: readonly Group[] }
  readonly TestCaseJudgingList?: readonly Test[]
}
type Members = Readonly<Record<string, unknown>>
export type Group = Members & { readonly Name: string }
/** `Number`: its position in judging order, from 1, which identifies it if there is no UUID. */
export type Test = Members & { readonly Number?: number; readonly Name?: string; readonly UUID?: string }

/** The known members, and recursively the members of values that are objects or lists of objects. */
type Known = { readonly [name: string]: Known | null }

const program: Known = { Language: null, FileList: { Name: null, Content: null, Path: null } }
const known: Known = {
  Judging: {
    ...{ Type: null, PassLimit: null, Interactor: program, IsScored: null, Aggregation: null, MaximumScore: null },
    Checker: { Kind: null, ArgumentList: null, Program: program },
    GroupList: { Name: null, Aggregation: null, MaximumScore: null, RequireList: null },
    LanguageFactorList: { Language: null, TimeFactor: null },
    // The last three are shown but can't be set: a file may be an earlier output.
    ...{ IsHeld: null, JudgingHash: null, FaultCount: null, LastFault: null },
  },
  TestCaseJudgingList: {
    ...{ Number: null, Name: null, UUID: null, Group: null, Points: null, ArgumentList: null },
    // Shown, but can't be set.
    ByteCount: null,
  },
}

export async function readJudgingFile(path: string): Promise<DescribedJudging> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new OperatorError(`${path} can’t be read (${error.message}).`)
  })
  const described = parse(path, text)
  const unknown = findUnknown(described, known, '')
  if (unknown) throw new OperatorError(`${path}: ${unknown}`)
  const { Judging, ...rest } = described
  if (!Judging) return described
  const checker = Judging.Checker as Members | undefined
  return {
    ...rest,
    Judging: {
      ...Judging,
      ...(checker?.Program ? { Checker: { ...checker, Program: await readProgram(path, checker.Program) } } : {}),
      ...(Judging.Interactor ? { Interactor: await readProgram(path, Judging.Interactor) } : {}),
    },
  }
}

function parse(path: string, text: string): DescribedJudging {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new OperatorError(`${path} is not JSON (${(error as Error).message}).`)
  }
  const { Judging, TestCaseJudgingList } = (value ?? {}) as DescribedJudging
  if (typeof Judging === 'object' || Array.isArray(TestCaseJudgingList)) return value as DescribedJudging
  throw new OperatorError(
    `${path} must have Judging, TestCaseJudgingList or both: the command shows them without --set.`,
  )
}

async function readProgram(jsonPath: string, program: unknown): Promise<unknown> {
  const { FileList, ...rest } = program as { FileList?: (Members & { Path?: string })[] }
  if (!Array.isArray(FileList)) return program
  const files = FileList.map(async ({ Path, ...file }) => {
    if (Path === undefined) return file
    const content = await readFile(resolve(dirname(jsonPath), Path)).catch((error: Error) => {
      throw new OperatorError(`${jsonPath}: ${Path} can’t be read (${error.message}).`)
    })
    return { ...file, Content: content.toString('base64') }
  })
  return { ...rest, FileList: await Promise.all(files) }
}

/** The server ignores unknown members, so a misspelt one would have no effect without an error. */
function findUnknown(value: unknown, members: Known, place: string): string | undefined {
  if (Array.isArray(value)) {
    for (const [i, one] of value.entries()) {
      const found = findUnknown(one, members, `${place.slice(0, -1)}[${i}].`)
      if (found) return found
    }
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, one] of Object.entries(value)) {
    if (!Object.hasOwn(members, name))
      return `${place}${name} is not known: there may be ${Object.keys(members).join(', ')}.`
    const found = members[name] && findUnknown(one, members[name], `${place}${name}.`)
    if (found) return found
  }
  return undefined
}
