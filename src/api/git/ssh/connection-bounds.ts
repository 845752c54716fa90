/**
 * Limits of SSH below the protocol: connections, time and bytes before sign-in, and output that the client does not
 * read.
 */
import type { Socket } from 'node:net'
import { networkOf } from '../../../lib/network.ts'

export type SshBounds = { readonly sshSessions: number; readonly sshSessionsPerAddress: number }

/** Connections that have not signed in yet, per address and in all. */
export const unknownPerAddress = 20
const unknownInAll = 400
export const signInMs = 30_000
/** A client sends some 4 KiB before it has signed in, and 10 KiB with many keys. */
export const signInBytes = 64 * 1024
/** The most output that a client leaves unread. */
const unsentBytes = 8 * 1024 * 1024

export type Admitted = {
  /** Marks the connection as signed in: from now on it counts as a session. */
  signedIn(): void
}

/** A connection that has not signed in yet. */
type Unknown = { readonly network: string; drop(): void }

export function makeConnectionBounds({ sshSessions, sshSessionsPerAddress }: SshBounds) {
  const open = makeCount()
  const unknown = makeCount()
  /** Oldest first. */
  const unknowns = new Set<Unknown>()

  const dropOldest = (network: string) => {
    for (const one of unknowns) if (one.network === network) return one.drop()
  }

  /** Those that do not sign in give way, so that silent connections keep nobody out. */
  function makeRoom(network: string): void {
    if (unknown.of(network) >= unknownPerAddress) dropOldest(network)
    else if (unknown.inAll() >= unknownInAll) dropOldest(unknown.largest())
  }

  return {
    /** Undefined if there are too many: the connection is then closed. */
    admit(socket: Socket): Admitted | undefined {
      const network = networkOf(socket.remoteAddress)
      makeRoom(network)
      if (open.inAll() >= sshSessions || open.of(network) >= sshSessionsPerAddress) {
        socket.destroy()
        return undefined
      }
      open.add(network)
      unknown.add(network)
      const self: Unknown = {
        network,
        drop() {
          settle()
          leave()
          socket.destroy()
        },
      }
      unknowns.add(self)
      const settle = once(() => {
        unknowns.delete(self)
        unknown.remove(network)
        clearTimeout(late)
      })
      const leave = once(() => open.remove(network))
      const late = setTimeout(() => socket.destroy(), signInMs)
      let isKnown = false
      socket.on('data', () => {
        if (socket.writableLength > unsentBytes || (!isKnown && socket.bytesRead > signInBytes)) socket.destroy()
      })
      socket.once('close', () => {
        settle()
        leave()
      })
      return {
        signedIn() {
          isKnown = true
          settle()
        },
      }
    },
    get unknown() {
      return unknown.inAll()
    },
    get open() {
      return open.inAll()
    },
  }
}

function makeCount() {
  const byNetwork = new Map<string, number>()
  let count = 0
  return {
    inAll: () => count,
    of: (network: string) => byNetwork.get(network) ?? 0,
    /** The network with the most; of those with as many, the one that has been counted longest. */
    largest: () => [...byNetwork].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0])[0],
    add(network: string): void {
      count++
      byNetwork.set(network, (byNetwork.get(network) ?? 0) + 1)
    },
    remove(network: string): void {
      count--
      const left = (byNetwork.get(network) ?? 1) - 1
      if (left > 0) byNetwork.set(network, left)
      else byNetwork.delete(network)
    },
  }
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
