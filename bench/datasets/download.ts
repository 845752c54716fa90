/** A download into a file, timed; and what it does to the memory of the one who sends it. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { get } from 'node:http'

export async function download(url: string, path: string): Promise<{ seconds: number; bytes: number }> {
  const start = performance.now()
  const file = openSync(path, 'w')
  let bytes = 0
  await new Promise<void>((resolve, reject) => {
    get(url, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${response.statusCode} for ${url.replace(/token=[^&]*/, '')}`))
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        writeSync(file, chunk)
      })
      response.on('end', resolve)
      response.on('error', reject)
    }).on('error', reject)
  })
  closeSync(file)
  return { seconds: (performance.now() - start) / 1000, bytes }
}

/** How far the process's resident memory rises above where it was. */
export async function watchMemory(pid: number, act: () => Promise<unknown>): Promise<number> {
  const before = residentBytes(pid)
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(pid))
  }, 20)
  await act()
  clearInterval(timer)
  return most - before
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
}
