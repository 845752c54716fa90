/** A second process on the same database, as another server would be: it can be talked to, and killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestDatabase } from './engines.ts'

export type OtherProcess = {
  readonly pid: number
  /** The next line it prints. */
  line(): Promise<string>
  kill(): Promise<void>
  ended(): Promise<number | null>
}

/** Runs the script with `store`, `clock` and `log` made; `src` is where to import from (`await import(src + 'jobs/jobs.ts')`). */
export function startProcess({ folder, url }: TestDatabase, script: string): OtherProcess {
  const src = new URL('../../src/', import.meta.url)
  const opening = url
    ? `(await import(src + 'store/postgres/postgres.ts')).openPostgres('${url}', log)`
    : `(await import(src + 'store/sqlite/sqlite.ts')).openSqlite('${folder}/guildhall.db')`
  const whole = `
    const src = '${src}'
    const { systemClock: clock } = await import(src + 'lib/clock.ts')
    const log = (await import(src + 'lib/log.ts')).makeLog('silent')
    const store = await ${opening}
    ${script}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', whole], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  return {
    pid: child.pid!,
    async line() {
      const { value, done } = await lines.next()
      if (done) throw new Error('The other process ended before it said anything more.')
      return value
    },
    async kill() {
      child.kill('SIGKILL')
      await endOf(child)
    },
    ended: () => endOf(child),
  }
}

async function endOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}
