/** Lists what a package holds that has no place here, so that nothing is dropped in silence. */
import type { Manifest } from './package-files.ts'

const folders: Record<string, string> = {
  output_validators: 'output validators: answers are compared line by line instead',
  output_validator: 'the output validator: answers are compared line by line instead',
  input_validators: 'input validators',
  input_format_validators: 'input validators',
  answer_validators: 'answer validators',
  static_validator: 'the static validator',
  graders: 'graders',
  generators: 'generators',
  submissions: 'sample submissions',
  attachments: 'attachments',
  include: 'files to include in submissions',
  solution: 'solutions',
}

/** These members are carried over, or do not matter. */
const handled = new Set(['name', 'limits', 'problem_format_version', 'type', 'validation', 'validator_flags'])
const handledLimits = new Set(['time_limit', 'memory'])

export function listUnsupported(paths: readonly string[], manifest: Manifest, used: ReadonlySet<string>): string[] {
  return [...aboutJudging(manifest), ...aboutManifest(manifest), ...aboutFiles(paths, used)]
}

function aboutJudging({ type, validation, validator_flags }: Manifest): string[] {
  const notes: string[] = []
  const kinds = [type].flat().filter((kind) => kind !== undefined && kind !== 'pass-fail')
  if (kinds.length > 0) notes.push(`problem.yaml: the type ${kinds.join(', ')}: it is judged as pass-fail.`)
  if (validation !== undefined && validation !== 'default') {
    notes.push(`problem.yaml: validation ${String(validation)}: answers are compared line by line instead.`)
  }
  if (validator_flags !== undefined) {
    notes.push(`problem.yaml: validator_flags ${String(validator_flags)}: answers are compared exactly.`)
  }
  return notes
}

function aboutManifest(manifest: Manifest): string[] {
  const members = Object.keys(manifest).filter((key) => !handled.has(key))
  const { limits } = manifest
  const others = typeof limits === 'object' && limits !== null ? Object.keys(limits) : []
  const unsupported = [...members, ...others.filter((key) => !handledLimits.has(key)).map((key) => `limits.${key}`)]
  return unsupported.length > 0 ? [`problem.yaml: ${unsupported.join(', ')}: not carried over.`] : []
}

function aboutFiles(paths: readonly string[], used: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>()
  const single: string[] = []
  for (const path of paths) {
    const [folder = ''] = path.split('/')
    if (used.has(path) || path === 'problem.yaml' || path === '.timelimit') continue
    if (/^(?:problem_statement|statement)\/problem(?:\.[A-Za-z-]{2,})?\.(?:md|tex)$/.test(path)) continue
    if (folders[folder]) counts.set(folder, (counts.get(folder) ?? 0) + 1)
    else single.push(`${path}: not carried over.`)
  }
  const known = [...counts].map(([folder, count]) => `${folder}/ (${count}): ${folders[folder]}; not carried over.`)
  return [...known, ...single]
}
