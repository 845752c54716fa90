/** How long a small request takes while something else goes on, and what it takes when the processor is merely busy. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** In milliseconds. */
export type Latency = { readonly median: number; readonly p99: number }

const everyMs = 10

/** Asked by a process of its own, a hundred times a second, for as long as the act takes. */
export async function measureLatency(url: string, act: () => Promise<unknown>): Promise<Latency> {
  const probe = spawn(process.execPath, [join(import.meta.dirname, 'probe.ts'), url, String(everyMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let said = ''
  probe.stdout.on('data', (chunk) => {
    said += chunk
  })
  await once(probe.stdout, 'data')
  await act()
  probe.stdin.end()
  await once(probe, 'close')
  const times = (JSON.parse(said.split('\n')[1]!) as number[]).sort((a, b) => a - b)
  return { median: times[Math.floor(times.length / 2)]!, p99: times[Math.floor(times.length * 0.99)]! }
}

/** Strangers that keep every core busy, as an export does: what they do to a request is the machine's doing, not ours. */
export async function burn(ms: number): Promise<void> {
  const burners = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
  )
  await setTimeout(ms)
  for (const burner of burners) burner.kill('SIGKILL')
}
