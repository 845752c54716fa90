/** Which git processes a server has now. */
import { readdirSync, readFileSync } from 'node:fs'

/** The git processes of this server's repositories that run now, each with its arguments. */
export function listGits(dataFolder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return words.includes(dataFolder) ? [words.replaceAll('\0', ' ')] : []
      } catch {
        return []
      }
    })
}
