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
export const signInBytes = 256 * 1024
/** The most output that a client leaves unread. */
const unsentBytes = 8 * 1024 * 1024

export type Admitted = {
  /** Marks the connection as signed in: from now on it counts as a session. */
  signedIn(): void
}

export function makeConnectionBounds({ sshSessions, sshSessionsPerAddress }: SshBounds) {
  const open = makeCount()
  const unknown = makeCount()

  return {
    /** Undefined if there are too many: the connection is then closed. */
    admit(socket: Socket): Admitted | undefined {
      const network = networkOf(socket.remoteAddress)
      const isWithin =
        open.inAll() < sshSessions &&
        open.of(network) < sshSessionsPerAddress &&
        unknown.inAll() < unknownInAll &&
        unknown.of(network) < unknownPerAddress
      if (!isWithin) {
        socket.destroy()
        return undefined
      }
      open.add(network)
      const leave = once(unknown.add(network))
      const late = setTimeout(() => socket.destroy(), signInMs)
      let isKnown = false
      socket.on('data', () => {
        if (socket.writableLength > unsentBytes || (!isKnown && socket.bytesRead > signInBytes)) socket.destroy()
      })
      socket.once('close', () => {
        clearTimeout(late)
        leave()
        open.remove(network)
      })
      return {
        signedIn() {
          isKnown = true
          clearTimeout(late)
          leave()
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
  const remove = (network: string) => {
    count--
    const left = (byNetwork.get(network) ?? 1) - 1
    if (left > 0) byNetwork.set(network, left)
    else byNetwork.delete(network)
  }
  return {
    inAll: () => count,
    of: (network: string) => byNetwork.get(network) ?? 0,
    /** Returns a function that undoes it. */
    add(network: string): () => void {
      count++
      byNetwork.set(network, (byNetwork.get(network) ?? 0) + 1)
      return () => remove(network)
    },
    remove,
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
