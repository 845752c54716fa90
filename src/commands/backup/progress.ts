/** Shows a backup's progress on one line of a terminal; elsewhere nothing. */
import type { Summary } from './archive.ts'

const everyMs = 500

export function showProgress(summary: () => Summary): () => void {
  if (!process.stderr.isTTY) return () => {}
  const timer = setInterval(() => {
    const { count, bytes } = summary()
    process.stderr.write(`\r${count} files, ${Math.round(bytes / 1024 ** 2)} MiB …`)
  }, everyMs)
  return () => {
    clearInterval(timer)
    process.stderr.write('\r\x1b[K')
  }
}
