/**
 * How a problem is judged, as the form holds it: texts where people type, and a key for each group, so that it can be
 * renamed.
 */
import { readTokenArguments } from '../../../src/lib/judging-rules/token-arguments.ts'
import { Fault } from '../../api/fault.ts'
import type { Aggregation, CheckerKind, KeptJudging, Program } from '../../api/judging.ts'
import { readDecimal } from '../../parts/decimal.ts'

/** The group that all open tests are. */
export const sampleGroup = 'sample'

export type GroupDraft = {
  readonly key: number
  readonly name: string
  readonly aggregation: Aggregation
  /** Empty: unbounded. */
  readonly maximum: string
  /** Keys of groups, or `sample`. */
  readonly required: readonly (number | typeof sampleGroup)[]
}
export type FactorDraft = { readonly language: string; readonly factor: string }

export type JudgingDraft = {
  readonly kind: CheckerKind
  readonly isCaseSensitive: boolean
  readonly isSpaceSensitive: boolean
  /** Empty: none. */
  readonly absolute: string
  readonly relative: string
  /** For a custom checker, one per line. */
  readonly words: string
  readonly checker: Program | null
  readonly talks: 'no' | 'checker' | 'interactor'
  readonly interactor: Program | null
  readonly passLimit: string
  readonly isScored: boolean
  readonly aggregation: Aggregation
  readonly maximum: string
  readonly groups: readonly GroupDraft[]
  readonly factors: readonly FactorDraft[]
}

export const isOwnChecker = (kind: CheckerKind): boolean => kind === 'kattis' || kind === 'testlib'
/** Only then may a checker ask for further passes. */
export const mayPassAgain = ({ kind, talks }: JudgingDraft): boolean => kind === 'kattis' && talks !== 'interactor'

export function toDraft(judging: KeptJudging): JudgingDraft {
  const { Type, Checker, Interactor, GroupList, LanguageFactorList } = judging
  const tokens = readTokenArguments(Checker.Kind === 'tokens' ? Checker.ArgumentList : [])
  const settings = 'wrong' in tokens ? undefined : tokens
  return {
    kind: Checker.Kind,
    isCaseSensitive: settings?.isCaseSensitive ?? false,
    isSpaceSensitive: settings?.isSpaceSensitive ?? false,
    absolute: settings?.tolerance?.absolute ?? '',
    relative: settings?.tolerance?.relative ?? '',
    words: isOwnChecker(Checker.Kind) ? Checker.ArgumentList.join('\n') : '',
    checker: Checker.Program,
    talks: Type === 'batch' ? 'no' : Interactor ? 'interactor' : 'checker',
    interactor: Interactor,
    passLimit: String(judging.PassLimit),
    isScored: judging.IsScored,
    aggregation: judging.Aggregation,
    maximum: writePoints(judging.MaximumScore),
    groups: GroupList.map((group, key) => ({
      key,
      name: group.Name,
      aggregation: group.Aggregation,
      maximum: writePoints(group.MaximumScore),
      required: group.RequireList.map((name) =>
        name === sampleGroup ? name : GroupList.findIndex(({ Name }) => Name === name),
      ),
    })),
    factors: LanguageFactorList.map(({ Language, TimeFactor }) => ({ language: Language, factor: String(TimeFactor) })),
  }
}

/** Points of a group are given to be counted: the first ones turn scoring on. */
export const changeGroup = (
  { isScored, groups }: JudgingDraft,
  key: number,
  part: Partial<GroupDraft>,
): Pick<JudgingDraft, 'isScored' | 'groups'> => ({
  isScored: isScored || (readDecimal(part.maximum ?? '') ?? 0) > 0,
  groups: groups.map((group) => (group.key === key ? { ...group, ...part } : group)),
})

/** Groups have points, but a program passes or fails. */
export const ignoresPoints = ({ isScored, groups }: JudgingDraft): boolean =>
  !isScored && groups.some(({ maximum }) => (readDecimal(maximum) ?? 0) > 0)

const writePoints = (points: number | null): string => (points === null ? '' : String(points))
const readPoints = (text: string): number | null => (text.trim() === '' ? null : readDecimal(text))

/** Throws with what is missing, in the words of the form. */
export function toChange(draft: JudgingDraft): Partial<KeptJudging> {
  const { kind, talks, checker, interactor, groups } = draft
  const hasOwn = isOwnChecker(kind)
  if (hasOwn && !checker) throw new Fault(0, 'Choose the checker’s files, or another comparison.')
  if (talks === 'checker' && kind !== 'kattis')
    throw new Fault(0, 'Only a Kattis validator can interact by itself. Choose an interactor for this checker.')
  if (talks === 'interactor' && !interactor) throw new Fault(0, 'Choose the interactor’s files.')
  const nameOf = (required: number | typeof sampleGroup) =>
    required === sampleGroup ? sampleGroup : groups.find(({ key }) => key === required)?.name.trim()
  return {
    Type: talks === 'no' ? 'batch' : 'interactive',
    PassLimit: mayPassAgain(draft) ? Number(draft.passLimit) : 1,
    Checker: {
      Kind: kind,
      ArgumentList: kind === 'tokens' ? writeTokenArguments(draft) : hasOwn ? splitLines(draft.words) : [],
      Program: hasOwn ? checker : null,
    },
    Interactor: talks === 'interactor' ? interactor : null,
    IsScored: draft.isScored,
    Aggregation: draft.aggregation,
    MaximumScore: readPoints(draft.maximum),
    GroupList: groups.map(({ name, aggregation, maximum, required }) => ({
      Name: name.trim(),
      Aggregation: aggregation,
      MaximumScore: readPoints(maximum),
      RequireList: required.map(nameOf).filter((one) => one !== undefined),
    })),
    LanguageFactorList: draft.factors.map(({ language, factor }) => ({
      Language: language,
      TimeFactor: readDecimal(factor) ?? 1,
    })),
  }
}

function writeTokenArguments(draft: JudgingDraft): string[] {
  const absolute = draft.absolute.trim()
  const relative = draft.relative.trim()
  const isOne = absolute !== '' && absolute === relative
  return [
    ...(draft.isCaseSensitive ? ['case_sensitive'] : []),
    ...(draft.isSpaceSensitive ? ['space_change_sensitive'] : []),
    ...(isOne ? ['float_tolerance', absolute] : []),
    ...(absolute && !isOne ? ['float_absolute_tolerance', absolute] : []),
    ...(relative && !isOne ? ['float_relative_tolerance', relative] : []),
  ]
}

export const splitLines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** The interface's fields in the words of the form. */
const names: readonly (readonly [member: RegExp, words: string])[] = [
  [/Judging\.Checker\.ArgumentList/g, 'The tolerance or an argument of the checker'],
  [/Judging\.Checker\.Program(?:\.FileList)?/g, 'The checker'],
  [/Judging\.Interactor(?:\.FileList)?/g, 'The interactor'],
  [/Judging\.PassLimit/g, 'The number of passes'],
  [/Judging\.MaximumScore/g, 'The number of points'],
  [/Judging\.GroupList[.\w]*/g, 'The list of groups'],
  [/Judging\.LanguageFactorList[.\w]*/g, 'The list of time factors'],
  [
    / which GroupList lacks: move them first \(update_test_case_judging\)/g,
    ' which was removed: first move them to another group, on the tests page',
  ],
  [/ \(update_\w+\)/g, ''],
]

/** The server's refusal in the words of the form. */
export const inWords = (message: string): string =>
  names.reduce((text, [member, words]) => text.replace(member, words), message)
