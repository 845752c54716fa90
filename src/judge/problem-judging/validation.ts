/** Validates judging settings beyond what a schema can express; each error names the field. */

import { Failure, type FieldFault } from '../../lib/failure.ts'
import {
  deepestName,
  findMainScript,
  isCheckerSource,
  longestNameBytes,
} from '../../lib/judging-rules/checker-sources.ts'
import { findCircularGroup, sampleGroup } from '../../lib/judging-rules/scoring/rules.ts'
import { findTokensFault } from '../../lib/judging-rules/token-arguments.ts'
import type { Limits } from '../limits.ts'
import type { Judging, Program } from './judging.ts'

/** Throws the first fault. */
export function demandSoundJudging(judging: Judging, limits: Limits): void {
  const fault = findFault(judging, limits)
  if (!fault) return
  const field = `Judging.${fault.field}`
  throw new Failure('invalid', 'judging-invalid', `${field} ${fault.reason}.`, { faults: [{ ...fault, field }] })
}

function findFault(judging: Judging, limits: Limits): FieldFault | undefined {
  return findCheckerFault(judging, limits) ?? findInteractionFault(judging, limits) ?? findScoringFault(judging)
}

function findCheckerFault({ checker }: Judging, limits: Limits): FieldFault | undefined {
  const { kind, program } = checker
  const isBuiltIn = kind === 'lines' || kind === 'tokens'
  if (isBuiltIn && program) return { field: 'Checker.Program', reason: `must be null: ${kind} is built in` }
  if (!isBuiltIn && !program) return { field: 'Checker.Program', reason: `is required for a checker of kind ${kind}` }
  if (kind === 'lines' && checker.arguments.length > 0)
    return { field: 'Checker.ArgumentList', reason: 'must be empty: lines takes no arguments' }
  const wrong = kind === 'tokens' ? findTokensFault(checker.arguments) : undefined
  if (wrong) return { field: 'Checker.ArgumentList', reason: wrong }
  return program ? findProgramFault(program, 'Checker.Program', limits) : undefined
}

function findInteractionFault(judging: Judging, limits: Limits): FieldFault | undefined {
  const { type, checker, interactor, passLimit } = judging
  if (type === 'interactive' && !interactor && checker.kind !== 'kattis') {
    const reason = 'is required for an interactive problem, unless its Checker is of kind kattis and talks itself'
    return { field: 'Interactor', reason }
  }
  if (type === 'batch' && interactor) return { field: 'Interactor', reason: 'must be null unless Type is interactive' }
  if (passLimit > 1 && (checker.kind !== 'kattis' || interactor))
    return {
      field: 'PassLimit',
      reason: 'must be 1 unless a Checker of kind kattis, and no Interactor, gives the passes',
    }
  return interactor ? findProgramFault(interactor, 'Interactor', limits) : undefined
}

function findProgramFault({ language, files }: Program, field: string, limits: Limits): FieldFault | undefined {
  const names = files.map(({ name }) => name)
  if (names.length === 0) return { field: `${field}.FileList`, reason: 'must have a file' }
  if (names.length > limits.programFiles)
    return { field: `${field}.FileList`, reason: `must have at most ${limits.programFiles} files` }
  const wrongName = findNameFault(names)
  if (wrongName !== undefined) return { field: `${field}.FileList`, reason: wrongName }
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0)
  if (bytes > limits.programBytes)
    return { field: `${field}.FileList`, reason: `must hold at most ${limits.programBytes} bytes` }
  if (!names.some((name) => isCheckerSource(language, name)))
    return { field: `${field}.FileList`, reason: `must have a source of ${language}` }
  if (language === 'python' && findMainScript(names) === undefined)
    return { field: `${field}.FileList`, reason: 'must have a __main__.py, or only one script' }
  return undefined
}

function findNameFault(names: readonly string[]): string | undefined {
  const paths = new Set<string>()
  for (const name of names) {
    const shown = JSON.stringify(name.slice(0, 80))
    const parts = name.split('/')
    if (parts.length > deepestName) return `must have names of at most ${deepestName} parts between /, not ${shown}`
    const rule = parts.map(findBrokenRule).find((broken) => broken !== undefined)
    if (rule !== undefined) return `must have names ${rule}, not ${shown}`
    if (paths.has(name)) return `must have ${shown} only once`
    paths.add(name)
  }
  for (const name of names) {
    const folder = foldersOf(name).find((one) => paths.has(one))
    if (folder !== undefined) return `must not have ${JSON.stringify(folder)} both as a file and as a folder`
  }
  return undefined
}

/** Names must be harmless in a shell, a file system and a terminal. */
const nameRules: readonly (readonly [holds: (part: string) => boolean, rule: string])[] = [
  [(part) => part !== '' && part !== '.' && part !== '..', 'that are relative paths without . and ..'],
  [(part) => /^[\p{L}\p{N}_+@=, .-]*$/u.test(part), 'of letters, digits, spaces and _ + @ = , . -'],
  [(part) => !/^-|^ | $/.test(part), 'without - or a space in front, or a space at the end'],
  [(part) => /^.{1,128}$/u.test(part), 'with at most 128 characters between two /'],
  [(part) => Buffer.byteLength(part) <= longestNameBytes, `with at most ${longestNameBytes} bytes between two /`],
]

const findBrokenRule = (part: string): string | undefined => nameRules.find(([holds]) => !holds(part))?.[1]

const foldersOf = (name: string): string[] => {
  const parts = name.split('/')
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
}

function findScoringFault({ aggregation, maximumScore, groups, languageFactors }: Judging): FieldFault | undefined {
  if (aggregation === 'pass-fail' && maximumScore === null)
    return { field: 'MaximumScore', reason: 'must be a number where Aggregation is pass-fail' }
  const names = new Set<string>()
  for (const { name, ...group } of groups) {
    if (name === sampleGroup)
      return { field: 'GroupList', reason: `must not name a group ${sampleGroup}: open tests are that` }
    if (names.has(name)) return { field: 'GroupList', reason: `must name ${JSON.stringify(name)} only once` }
    if (group.aggregation === 'pass-fail' && group.maximum === null)
      return { field: 'GroupList', reason: `must give ${JSON.stringify(name)}, which is pass-fail, a MaximumScore` }
    names.add(name)
  }
  for (const { name, required } of groups) {
    const unknown = required.find((other) => other !== sampleGroup && !names.has(other))
    if (unknown === undefined) continue
    const reason = `must have ${JSON.stringify(unknown)}, which ${JSON.stringify(name)} requires`
    return { field: 'GroupList', reason }
  }
  const circular = findCircularGroup(groups)
  if (circular !== undefined)
    return { field: 'GroupList', reason: `must not let ${JSON.stringify(circular)} require itself` }
  const languages = languageFactors.map(({ language }) => language)
  if (new Set(languages).size < languages.length)
    return { field: 'LanguageFactorList', reason: 'must name each language only once' }
  return undefined
}
