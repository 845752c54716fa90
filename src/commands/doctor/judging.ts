/** Inspects what judging needs of the machine; the executor's room tries it for real. */
import { inspectMachine, type MachineFinding } from '../../executor/doctor.ts'
import type { Finding } from './finding.ts'

/** A server works without judging, so what is missing here is never fatal. */
const states: Record<MachineFinding['state'], Finding['state']> = { fine: 'good', lost: 'poor', missing: 'poor' }

export async function inspectJudging(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const findings = await inspectMachine({
    languagesPath: environment.GUILDHALL_LANGUAGES,
    without: environment.GUILDHALL_EXECUTOR_WITHOUT?.split(',') ?? [],
  })
  return findings.map(({ subject, state, words, advice }) => ({
    name: subject,
    state: states[state],
    says: state === 'missing' ? `${words} (nothing can be judged here)` : words,
    ...(advice !== undefined && { advice }),
  }))
}
