/**
 * Claims of names on this machine: a name belongs to one process at a time, until that process releases it or ends, in
 * any way.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'

export type MachineClaim = { release(): void }

/**
 * Answers null if the name is taken, or if the system can't tell. The name is that of an abstract socket, which the
 * kernel gives to only one process of a network namespace; no file can be left behind, or be in different places for
 * different processes.
 */
export function claimOnMachine(name: string): MachineClaim | null {
  const server = createServer((caller) => caller.destroy())
  server.on('error', () => undefined)
  server.listen({ path: `\0${name}`, exclusive: true })
  if (!server.listening) return null
  server.unref()
  return { release: () => void server.close() }
}

/** The taken names with this prefix. */
export function listClaims(beginning: string): Set<string> {
  const lines = readFileSync('/proc/net/unix', 'utf8').split('\n')
  return new Set(lines.map((line) => line.split(' @')[1] ?? '').filter((name) => name.startsWith(beginning)))
}

/** The scope in which claims are unique: this network namespace, since the machine was started. */
export const claimScope = (): string =>
  `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/net')}`
