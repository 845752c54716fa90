/** What judging asks of the machine, tried for real by the executor's own room. */
import { inspectMachine, type MachineFinding } from '../../executor/doctor.ts'
import type { Finding } from './finding.ts'

/** A server serves without judging: what is missing here never fails it. */
const states: Record<MachineFinding['state'], Finding['state']> = { fine: 'good', lost: 'poor', missing: 'poor' }

export async function inspectJudging(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const findings = await inspectMachine(environment.GUILDHALL_LANGUAGES)
  return findings.map(({ subject, state, words }) => ({
    name: subject,
    state: states[state],
    says: state === 'missing' ? `${words} (nothing can be judged here)` : words,
  }))
}
