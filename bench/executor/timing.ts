/** Runs programs bare, and tells how long things take. */
import { type SpawnOptions, spawn } from 'node:child_process'

/** Of each comparison; before the first, everything is warmed up. */
export const rounds = 5

export function run(file: string, words: string[], input?: string): Promise<string> {
  const options: SpawnOptions = { stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] }
  return new Promise((resolve, reject) => {
    const child = spawn(file, words, options)
    let output = ''
    let errors = ''
    child.stdout!.on('data', (chunk) => {
      output += chunk
    })
    child.stderr!.on('data', (chunk) => {
      errors += chunk
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${file} ended with ${code}: ${errors}`)),
    )
    child.stdin?.end(input)
  })
}

export async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}

export const median = (values: number[]) => values.sort((one, other) => one - other)[values.length >> 1]!
