/**
 * Custom languages of the operator: the schema of their file, and the language that an entry defines on this machine.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { parse } from 'yaml'
import { OperatorError } from '../../lib/failure.ts'
import { mebibyte } from '../../lib/text/bytes.ts'
import { findOnPath } from '../sandboxes/machine.ts'
import { compileLimits, type Language } from './language.ts'
import { beyondSystem } from './toolchains.ts'

const WordsSchema = Type.Array(Type.String(), { minItems: 1 })

const CustomLanguageSchema = Type.Object(
  {
    value: Type.String({ minLength: 1, maxLength: 32 }),
    name: Type.String({ minLength: 1 }),
    source: Type.String({ pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]*$' }),
    compile: Type.Optional(WordsSchema),
    check: Type.Optional(WordsSchema),
    run: WordsSchema,
    environment: Type.Optional(Type.Record(Type.String(), Type.String())),
    folders: Type.Optional(Type.Array(Type.String({ pattern: '^/' }))),
    runtime: Type.Optional(Type.Array(Type.String({ pattern: '^/' }))),
    extraMemoryMiB: Type.Optional(Type.Integer({ minimum: 0, maximum: 4096 })),
    compileSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 600 })),
    compileMemoryMiB: Type.Optional(Type.Integer({ minimum: 16, maximum: 65_536 })),
    selfTest: Type.Object({ source: Type.String(), input: Type.String(), output: Type.String() }),
  },
  { additionalProperties: false },
)

const ConfigurationSchema = Type.Object(
  {
    languages: Type.Array(CustomLanguageSchema),
    pythonPackages: Type.Optional(Type.Array(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }))),
  },
  { additionalProperties: false },
)

export type CustomLanguage = {
  readonly value: string
  readonly name: string
  readonly language: Language | null
  readonly missing: string | null
}

export type Configuration = { readonly own: readonly CustomLanguage[]; readonly pythonPackages: readonly string[] }

export function readConfiguration(path: string): Configuration {
  const { languages, pythonPackages = [] } = parseConfiguration(path)
  return { own: languages.map((each) => ({ value: each.value, name: each.name, ...place(each) })), pythonPackages }
}

function parseConfiguration(path: string): Static<typeof ConfigurationSchema> {
  let content: unknown
  try {
    content = parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new OperatorError(`The languages file ${path} can't be read: ${(error as Error).message.split('\n')[0]}`)
  }
  if (Value.Check(ConfigurationSchema, content)) return content
  const [fault] = Value.Errors(ConfigurationSchema, content)
  throw new OperatorError(
    `The languages file ${path} is wrong at ${fault?.instancePath || 'its top'}: ${fault?.message}`,
  )
}

/** Each command's program is looked up on the PATH now, and shown in the box at its real path. */
function place(own: Static<typeof CustomLanguageSchema>): { language: Language | null; missing: string | null } {
  const folders = [...(own.folders ?? [])]
  let missing: string | null = null
  for (const path of [...folders, ...(own.runtime ?? [])]) if (!existsSync(path)) missing ??= `${path} is not there`
  const locate = (words: readonly string[]): string[] => {
    const [first = '', ...rest] = words
    if (first.startsWith('{')) return [...words]
    const found = findOnPath(first)
    if (!found) {
      missing ??= `${first} is not on the PATH`
      return [...words]
    }
    const path = realpathSync(found)
    if (!folders.some((folder) => path.startsWith(`${folder}/`))) folders.push(...beyondSystem([dirname(path)]))
    return [path, ...rest]
  }
  const commands = {
    ...(own.compile && { compile: locate(own.compile) }),
    ...(own.check && { check: locate(own.check) }),
    run: locate(own.run),
  }
  const language: Language = {
    value: own.value,
    name: own.name,
    source: own.source,
    ...commands,
    environment: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: '/box',
      TMPDIR: '/box',
      LANG: 'C.UTF-8',
      ...own.environment,
    },
    folders,
    files: [],
    extraMemoryBytes: (own.extraMemoryMiB ?? 0) * mebibyte,
    compileSeconds: own.compileSeconds ?? compileLimits.compileSeconds,
    compileMemoryBytes: own.compileMemoryMiB ? own.compileMemoryMiB * mebibyte : compileLimits.compileMemoryBytes,
    selfTest: own.selfTest,
    ...(own.runtime && {
      runtime: { paths: [...(commands.run[0]!.startsWith('{') ? [] : [commands.run[0]!]), ...own.runtime] },
    }),
  }
  // The box itself uses these paths.
  for (const folder of folders) {
    if (/^\/(tmp|box|proc|dev|program|toolchain)(\/|$)/.test(folder)) missing ??= `${folder} can't be shown in a box`
  }
  return missing ? { language: null, missing } : { language, missing: null }
}
