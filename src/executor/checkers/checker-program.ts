/** The program of a checker or an interactor, compiled from all files of its folder. */

import {
  type CheckerLanguage,
  deepestName,
  findMainScript,
  isCheckerLanguage,
  isCheckerSource,
  longestNameBytes,
} from '../../lib/judging-rules/checker-sources.ts'
import { mebibyte } from '../../lib/text/bytes.ts'
import { type CompileContext, makeProgram } from '../compilation/compilation.ts'
import { fillTemplate, heapValues, type Language } from '../languages/language.ts'
import type { KeptFile, Sandbox } from '../sandboxes/sandbox.ts'
import { LanguageShort } from '../sandboxes/shortage.ts'
import { pythonFront } from './python-front.ts'

export type CheckerSource = {
  readonly language: string
  readonly files: readonly { readonly name: string; readonly content: Uint8Array }[]
}

/** The parts that a box needs to run it. */
export type CheckerProgram = {
  readonly language: string
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly view?: Language['view']
  readonly folders: readonly string[]
  readonly files: readonly { readonly from: string; readonly at: string }[]
  readonly bytes: number
  drop(): void
}

export type CheckerLanguages = {
  find(value: string): { readonly language: Language; readonly prepared?: KeptFile | undefined } | undefined
  /** Whether the language is only unavailable because the machine is short of something. */
  isShort(value: string): boolean
  /** Throws if the language's toolchain has broken: then the checker is not to blame. */
  retest(value: string, now?: 'now'): Promise<void>
}

export type BuildNeeds = Pick<CompileContext, 'owner' | 'signal'> & {
  readonly sandbox: Sandbox
  readonly languages: CheckerLanguages
}

/** The checker itself is at fault. The message is for the problem's author. */
export class CheckerFault extends Error {
  override readonly name = 'CheckerFault'
}

export const checkerMemoryBytes = 2048 * mebibyte

export async function buildChecker(needs: BuildNeeds, source: CheckerSource): Promise<CheckerProgram> {
  const { language } = source
  if (!isCheckerLanguage(language)) throw new CheckerFault(`A checker can't be written in ${source.language}.`)
  if (needs.languages.isShort(language)) throw new LanguageShort(language)
  const entry = needs.languages.find(source.language)
  if (!entry) throw new Error(`This executor has no ${source.language} for the problem's checker.`)
  for (const { name } of source.files) demandName(name)
  if (!source.files.some(({ name }) => isCheckerSource(language, name)))
    throw new CheckerFault(`The checker has no source of ${source.language}.`)
  return entry.language.compile
    ? compileChecker(needs, entry, { ...source, language })
    : keepScripts(needs, entry, source)
}

type Entry = NonNullable<ReturnType<CheckerLanguages['find']>>

async function compileChecker(
  needs: BuildNeeds,
  entry: Entry,
  source: CheckerSource & { readonly language: CheckerLanguage },
) {
  const { language, prepared } = entry
  const kept = await keepAll(needs.sandbox, placesOf(source))
  try {
    const { program, words } = await makeProgram(
      { ...needs, prepared },
      { ...language, compile: withFolder(language) },
      kept.map(({ file, at }) => ({ from: file.path, at, isHeader: !isCheckerSource(source.language, at) })),
    )
    if (!program) {
      // A fault is permanent, so the toolchain is tested now: a self-test of a moment ago proves too little.
      await needs.languages.retest(language.value, 'now')
      throw new CheckerFault(`The checker does not compile:\n${words}`)
    }
    const at = '/program/program'
    return present(language, at, [{ file: program, at }])
  } finally {
    for (const { file } of kept) file.drop()
  }
}

async function keepScripts(needs: BuildNeeds, { language }: Entry, source: CheckerSource): Promise<CheckerProgram> {
  const main = findMainScript(source.files.map(({ name }) => name))
  if (!main) throw new CheckerFault('A checker of several Python files needs a __main__.py.')
  const front = { at: pythonFront.file, content: Buffer.from(pythonFront.source) }
  const program = present(language, pathOf(main), await keepAll(needs.sandbox, [...placesOf(source), front]))
  return { ...program, environment: { ...program.environment, ...pythonFront.environment } }
}

type KeptSource = { readonly file: KeptFile; readonly at: string }

function present(language: Language, program: string, kept: readonly KeptSource[]): CheckerProgram {
  // The heap gets three quarters of the box, the runtime the rest.
  const heapMiB = (checkerMemoryBytes / mebibyte) * 0.75
  return {
    language: language.value,
    command: fillTemplate(language.run, { source: program, program, memoryMiB: heapMiB, ...heapValues(heapMiB) }),
    environment: language.environment,
    view: language.view,
    folders: language.folders,
    files: [...language.files, ...kept.map(({ file, at }) => ({ from: file.path, at }))],
    bytes: kept.reduce((sum, { file }) => sum + file.size, 0),
    drop() {
      for (const { file } of kept) file.drop()
    },
  }
}

const placesOf = ({ files }: CheckerSource) => files.map(({ name, content }) => ({ at: pathOf(name), content }))

/** All or none: on a full disk nothing is left behind. */
async function keepAll(sandbox: Sandbox, files: readonly { at: string; content: Uint8Array }[]): Promise<KeptSource[]> {
  const kept: KeptSource[] = []
  try {
    for (const { at, content } of files) kept.push({ file: await sandbox.keep(content), at })
    return kept
  } catch (error) {
    for (const { file } of kept) file.drop()
    throw error
  }
}

/** Also finds the folder's headers from its subfolders. */
const withFolder = (language: Language): readonly string[] => {
  const [compiler, ...words] = language.compile!
  return ['c', 'cpp'].includes(language.value) ? [compiler!, '-I/program', ...words] : [compiler!, ...words]
}

const pathOf = (name: string) => `/program/${name}`

/** The author chooses the names, and they become paths inside the box. */
function demandName(name: string): void {
  const parts = name.split('/')
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !part.includes('\0'))
  const isShort = parts.length <= deepestName && parts.every((part) => Buffer.byteLength(part) <= longestNameBytes)
  if (!isPlain || !isShort || name.length > 255)
    throw new CheckerFault(`The checker's file name ${JSON.stringify(name)} can't be used.`)
}
