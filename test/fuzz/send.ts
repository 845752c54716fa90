/** Sends a shot the way it says, and answers what came back. */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Shot } from './shot.ts'

export type Sent = {
  readonly received: Buffer
  /** The server closed the connection, as it was asked to; nothing more will come. */
  readonly isClosed: boolean
}

/** A server that has not answered by then has forgotten the request: the slowest takes seconds beside a busy machine. */
const longestWaitMs = 60_000
/** What is unfinished is waited for so long: most servers answer at once that it can't be right. */
const unfinishedMs = 150
const heldMs = 300

export async function send(port: number, shot: Shot): Promise<Sent> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  try {
    switch (shot.manner) {
      case 'whole':
        return await sendWhole(socket, shot)
      case 'half':
        return await sendHalf(socket, shot)
      case 'reset':
        return await sendAndReset(socket, shot)
      case 'slow':
        return await sendSlowly(socket, shot)
      case 'unread':
        socket.pause()
        socket.write(shot.bytes)
        await sleep(heldMs)
    }
    return nothing
  } finally {
    if (shot.manner === 'whole') socket.destroy()
    else if (!socket.destroyed) socket.resetAndDestroy()
  }
}

const nothing: Sent = { received: Buffer.alloc(0), isClosed: false }

function sendWhole(socket: Socket, { bytes, isUnfinished }: Shot): Promise<Sent> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const end = (isClosed: boolean) => {
      clearTimeout(timer)
      resolve({ received: Buffer.concat(chunks), isClosed })
    }
    const timer = setTimeout(() => end(false), isUnfinished ? unfinishedMs : longestWaitMs)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.once('close', () => end(true))
    socket.write(bytes)
  })
}

async function sendHalf(socket: Socket, { bytes, cutAt = 0, resets = false }: Shot): Promise<Sent> {
  await new Promise<void>((resolve) => socket.write(bytes.subarray(0, cutAt), () => resolve()))
  await sleep(5)
  if (!resets) socket.end()
  await sleep(5)
  return nothing
}

function sendAndReset(socket: Socket, { bytes }: Shot): Promise<Sent> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(nothing), longestWaitMs)
    socket.once('data', () => socket.resetAndDestroy())
    socket.once('close', () => {
      clearTimeout(timer)
      resolve(nothing)
    })
    socket.write(bytes)
  })
}

async function sendSlowly(socket: Socket, { bytes }: Shot): Promise<Sent> {
  const step = Math.max(1, Math.ceil(bytes.length / 10))
  for (let at = 0; at < bytes.length && !socket.destroyed; at += step) {
    socket.write(bytes.subarray(at, at + step))
    await sleep(5)
  }
  socket.pause()
  const endsAt = Date.now() + heldMs
  while (Date.now() < endsAt && !socket.destroyed) {
    socket.read(1_000)
    await sleep(10)
  }
  return nothing
}
