/** Compilation: turns a source into one file, in a box like any other program. */
import { mebibyte } from '../../lib/text/bytes.ts'
import { compiledPath, fillTemplate, type Language, sourcePath } from '../languages/language.ts'
import type { BoxLimits, BoxOutcome, BoxProgram, KeptFile, RunOptions, Sandbox } from '../sandboxes/sandbox.ts'
import { TooSlow } from '../sandboxes/shortage.ts'

/** A program to run, or null. `words` is the compiler's output in either case. */
export type Compilation = {
  readonly program: KeptFile | null
  readonly words: string
  /** There is no program because the compiler ran out of time. */
  readonly isTooSlow?: boolean
}

export type CompileContext = {
  readonly sandbox: Sandbox
  /** The file that the language prepared at startup, if any. */
  readonly prepared?: KeptFile | undefined
  readonly signal?: AbortSignal | undefined
  readonly owner?: RunOptions['owner']
  /** Runs beside the slots, with a smaller share of the processors. */
  readonly isSlow?: boolean
  /** Describes the first run of the program, which will be at this path. */
  readonly describeRun?: (programPath: string) => BoxProgram
  /** A first try with a wall-clock limit, so it may borrow a slot (slot-lending.ts). */
  readonly isQuick?: boolean
}

const programBytes = 128 * mebibyte
const folderBytes = 256 * mebibyte
/** A compiler is busy; one told to read its own pipe would wait forever. */
const idleSeconds = 10

export async function compileSource(
  compileContext: CompileContext,
  language: Language,
  text: Uint8Array,
): Promise<Compilation> {
  const source = await compileContext.sandbox.keep(withoutMark(text))
  if (!language.compile) return { program: source, words: '' }
  try {
    return await makeProgram(compileContext, language, [{ from: source.path, at: sourcePath(language) }])
  } finally {
    source.drop()
  }
}

/** Checks the source of a language without a compile step; null if it is valid, otherwise the toolchain's output. */
export async function checkSource(
  compileContext: CompileContext,
  language: Language,
  program: KeptFile,
): Promise<string | null> {
  if (!language.check) return null
  const box = {
    ...boxOf(language, compileContext),
    command: fillTemplate(language.check, { source: sourcePath(language) }),
    files: [...language.files, { from: program.path, at: sourcePath(language) }],
    limits: limitsOf(language),
    onOutput: () => undefined,
  }
  const outcome = await compileContext.sandbox.run(box, { owner: compileContext.owner })
  return explain(outcome, language)
}

/** A file of the executor, and its path inside the box. */
export type SourceFile = { readonly from: string; readonly at: string; readonly isHeader?: boolean }

/** Compiles several files to one program; all except headers are passed to the compiler. */
export async function makeProgram(
  compileContext: CompileContext,
  language: Language,
  sources: readonly SourceFile[],
  words: readonly string[] = language.compile!,
): Promise<Compilation> {
  const { isSlow, isQuick, owner, describeRun } = compileContext
  const named = sources.filter(({ isHeader }) => !isHeader).map(({ at }) => at)
  const writer = compileContext.sandbox.open()
  try {
    const box = {
      ...boxOf(language, compileContext),
      command: words.flatMap((word) =>
        word === '{source}' ? named : fillTemplate([word], { source: named[0]!, program: compiledPath }),
      ),
      files: [
        ...language.files,
        ...sources,
        ...(language.prepared && compileContext.prepared
          ? [{ from: compileContext.prepared.path, at: language.prepared.at }]
          : []),
      ],
      limits: limitsOf(language, { isSlow, isQuick }),
      collect: compiledPath,
      onOutput: writer.write,
    }
    const next = isSlow ? undefined : describeRun?.(writer.path)
    const outcome = await compileContext.sandbox.run(box, { isSlow, owner, next })
    // A busy compiler hits its CPU limit, and a hanging one its idle limit; this one got no processor.
    if (outcome.stopped === 'wall' && outcome.wasHeldUp && !isQuick)
      throw new TooSlow(`${language.name} did not get the processors that it needs to compile.`)
    const problem = explain(outcome, language) ?? (outcome.outputBytes === 0 ? 'The compiler left no program.\n' : null)
    // The same source is compiled once: its later runs, whoever submits it, have the same file.
    if (problem === null) return { program: await writer.finishShared(), words: textOf(outcome) }
    writer.drop()
    return { program: null, words: problem, isTooSlow: outcome.stopped === 'cpu' || outcome.stopped === 'wall' }
  } catch (error) {
    writer.drop()
    throw error
  }
}

/** The output of a failed compilation, preceded by the exceeded limit; null if it succeeded. */
function explain(outcome: BoxOutcome, language: Language): string | null {
  const said = textOf(outcome)
  const memory = `Compilation needed more than ${Math.round(language.compileMemoryBytes / mebibyte)} MiB of memory.\n`
  if (outcome.stopped === 'abort') throw new Error('The compilation was called off.')
  if (outcome.stopped === 'memory' || outcome.isOutOfMemory) return memory + said
  if (outcome.stopped === 'output') return `The program is larger than ${programBytes / mebibyte} MiB.\n${said}`
  if (outcome.stopped === 'idle') return `Compilation stood still for ${idleSeconds} s.\n${said}`
  if (outcome.stopped !== null) return `Compilation took longer than ${language.compileSeconds} s.\n${said}`
  if (outcome.exitCode === 0) return null
  return said || `The compiler ended with ${outcome.signal ?? `exit code ${outcome.exitCode}`}.\n`
}

const boxOf = (language: Language, compileContext: CompileContext) => ({
  environment: language.environment,
  folders: language.folders,
  ...(compileContext.signal && { signal: compileContext.signal }),
})

type Pace = { readonly isSlow?: boolean | undefined; readonly isQuick?: boolean | undefined }

/** A smaller share of the processors gets a longer wall-clock limit. */
const limitsOf = (language: Language, { isSlow, isQuick }: Pace = {}): BoxLimits => ({
  cpuMs: language.compileSeconds * 1_000,
  wallMs: isQuick ? language.compileSeconds * 1_000 : language.compileSeconds * (isSlow ? 10_000 : 2_000) + 1_000,
  idleMs: idleSeconds * 1_000,
  memoryBytes: language.compileMemoryBytes,
  outputBytes: programBytes,
  folderBytes,
  processes: 128,
})

/** Some editors write a byte order mark, which some compilers refuse. */
function withoutMark(text: Uint8Array): Uint8Array {
  return text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? text.subarray(3) : text
}

const textOf = (outcome: BoxOutcome): string => Buffer.from(outcome.stderr).toString('utf8')

/** Runs the command that creates a language's prepared file. */
export async function prepareFile(sandbox: Sandbox, language: Language): Promise<KeptFile | undefined> {
  const { prepared } = language
  if (!prepared) return undefined
  const source = await sandbox.keep(Buffer.from(prepared.source))
  // This runs once, with Guildhall's own code, so it may take longer than a submission.
  const asLanguage: Language = { ...language, source: prepared.name, compileSeconds: 10 * language.compileSeconds }
  const { program, words } = await makeProgram(
    { sandbox },
    asLanguage,
    [{ from: source.path, at: sourcePath(asLanguage) }],
    prepared.words,
  )
  source.drop()
  if (!program) throw new Error(`${language.name} could not be prepared: ${words}`)
  return program
}
