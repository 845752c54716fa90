/** Inspects what judging needs of the machine, with a trial by the executor's own code. */
import { inspectMachine, type MachineFinding } from '../../executor/doctor.ts'
import type { Finding } from './finding.ts'

/** A server works without judging, so nothing here is fatal. */
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
