/** Claims of names on this machine: a name belongs to one process at a time, until that gives it back or ends, however it does. */
import { readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'

export type MachineClaim = { release(): void }

/**
 * Answers null where the name is taken, or where the system can't tell. It is that of an abstract socket, which the kernel
 * gives to one process of a network namespace only; there is no file that could be left behind, or lie elsewhere for another.
 */
export function claimOnMachine(name: string): MachineClaim | null {
  const server = createServer((caller) => caller.destroy())
  server.on('error', () => undefined)
  server.listen({ path: `\0${name}`, exclusive: true })
  if (!server.listening) return null
  server.unref()
  return { release: () => void server.close() }
}

/** The names that are taken, those that begin so. */
export function listClaims(beginning: string): Set<string> {
  const lines = readFileSync('/proc/net/unix', 'utf8').split('\n')
  return new Set(lines.map((line) => line.split(' @')[1] ?? '').filter((name) => name.startsWith(beginning)))
}

/** Where claims are told from each other: this network namespace, since this machine was started. */
export const claimScope = (): string =>
  `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/net')}`
