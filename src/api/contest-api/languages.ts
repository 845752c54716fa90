/** Languages and results under their names in the Contest API. */

type Known = {
  readonly id: string
  readonly name: string
  readonly extensions: readonly string[]
  readonly entry?: string
}

const known: Readonly<Record<string, Known>> = {
  c: { id: 'c', name: 'C', extensions: ['c'] },
  cpp: { id: 'cpp', name: 'C++', extensions: ['cc', 'cpp', 'cxx', 'c++', 'C'] },
  java: { id: 'java', name: 'Java', extensions: ['java'] },
  python: { id: 'python3', name: 'Python 3', extensions: ['py'] },
  javascript: { id: 'javascript', name: 'JavaScript', extensions: ['js'] },
  typescript: { id: 'typescript', name: 'TypeScript', extensions: ['ts'] },
  go: { id: 'go', name: 'Go', extensions: ['go'] },
  rust: { id: 'rust', name: 'Rust', extensions: ['rs'] },
}

export const toLanguageId = (language: string): string => known[language]?.id ?? language
export const fromLanguageId = (id: string): string => Object.entries(known).find(([, one]) => one.id === id)?.[0] ?? id

export const presentLanguage = (value: string, name: string) => ({
  id: toLanguageId(value),
  name: known[value]?.name ?? name,
  entry_point_required: false,
  extensions: known[value]?.extensions ?? [value],
})

export const extensionOf = (language: string): string => known[language]?.extensions[0] ?? 'txt'

export type JudgementType = {
  readonly id: string
  readonly name: string
  readonly penalty: boolean
  readonly solved: boolean
  readonly simplified_judgement_type_id?: string
}

const type = (id: string, name: string, penalty: boolean, simplified: string): JudgementType => ({
  id,
  name,
  penalty,
  solved: id === 'AC',
  simplified_judgement_type_id: simplified,
})

export const judgementTypes: readonly JudgementType[] = [
  type('AC', 'Accepted', false, 'AC'),
  type('CE', 'Compile Error', false, 'CE'),
  type('RTE', 'Run-Time Error', true, 'RE'),
  type('TLE', 'Time Limit Exceeded', true, 'RE'),
  type('MLE', 'Memory Limit Exceeded', true, 'RE'),
  type('WA', 'Wrong Answer', true, 'RE'),
  type('OLE', 'Output Limit Exceeded', true, 'RE'),
  { id: 'JE', name: 'Judging Error', penalty: false, solved: false },
  { id: 'RE', name: 'Rejected', penalty: true, solved: false },
]

const byResult = ['', 'AC', 'CE', 'RTE', 'TLE', 'MLE', 'WA', 'CE', 'OLE', 'JE']
export const typeOf = (result: number): string => byResult[result]!
export const simplify = (id: string): string =>
  judgementTypes.find((one) => one.id === id)?.simplified_judgement_type_id ?? id
