/** `doctor`: reports what this machine can and can't do, and what to do about it. */
import { defineCommand } from './command-line/command.ts'
import type { Finding, Inspection } from './doctor/finding.ts'

/** The inspections of all modules that need something of the machine. Loaded here: other commands need none. */
async function loadInspections(): Promise<Inspection[]> {
  const { inspectNode, inspectGit, inspectData } = await import('./doctor/host.ts')
  const { inspectSetAsideFolders } = await import('./doctor/set-aside-folders.ts')
  const { inspectJudging } = await import('./doctor/judging.ts')
  return [inspectNode, inspectGit, inspectData, inspectSetAsideFolders, inspectJudging]
}

const marks = { good: 'ok  ', poor: 'note', bad: 'FAIL' } as const

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Says what this machine can and can not do for Guildhall, and what to do.',
  notes: ['It ends with 1 where something is missing without which Guildhall can not serve.'],
  async run({ environment }) {
    const findings: Finding[] = []
    for (const inspect of await loadInspections()) findings.push(...(await inspect(environment)))
    const width = Math.max(...findings.map(({ name }) => name.length))
    for (const { state, name, says, advice } of findings) {
      process.stdout.write(`${marks[state]}  ${name.padEnd(width)}  ${says}\n`)
      if (advice) process.stdout.write(`${' '.repeat(width + 8)}→ ${advice}\n`)
    }
    return findings.some(({ state }) => state === 'bad') ? 1 : 0
  },
})
