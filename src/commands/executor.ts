/** `executor`: judges submissions on this machine for a server anywhere. */
import { OperatorError } from '../lib/failure.ts'
import { defineCommand } from './command-line/command.ts'

export const executor = defineCommand({
  name: 'executor',
  summary: 'Judges submissions on this machine for a server here or elsewhere.',
  options: {
    server: { type: 'string', hint: 'URL', sentence: "the judge's address", isRequired: true },
    token: {
      type: 'string',
      hint: 'TOKEN',
      sentence: 'a worker account’s token; GUILDHALL_EXECUTOR_TOKEN hides it from other users',
    },
    parallel: { type: 'string', hint: 'N', sentence: 'programs at a time; one a core unless said' },
    name: { type: 'string', hint: 'NAME', sentence: 'how this executor is called at the judge' },
    languages: { type: 'string', hint: 'FILE', sentence: 'more languages; docs/executor.md has the form' },
    only: { type: 'string', hint: 'a,b', sentence: 'offer these languages alone' },
    state: { type: 'string', hint: 'FOLDER', sentence: 'where its own files go' },
    without: {
      type: 'string',
      hint: 'a,b',
      sentence: 'judge although these are missing: filter, ipc, net, uts, cgroup, limits',
    },
  },
  async run({ options, environment }) {
    const { runExecutorCommand } = await import('../executor/command.ts')
    const { SandboxFailure } = await import('../executor/sandboxes/sandbox.ts')
    const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
    try {
      await runExecutorCommand(words, environment)
    } catch (error) {
      throw error instanceof SandboxFailure ? new OperatorError(error.message) : error
    }
  },
})
