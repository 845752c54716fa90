/** A download into a file, timed; and what it does to the memory of the one who sends it. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { makeAnswerCounter } from '../answer-counter.ts'

/** Read at once: a client of small pieces takes more of the processors than the server it measures. */
const readBytes = 1024 * 1024

export async function download(url: string, path: string): Promise<{ seconds: number; bytes: number }> {
  const start = performance.now()
  const file = openSync(path, 'w')
  let bytes = 0
  await new Promise<void>((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`${what} for ${url.replace(/token=[^&]*/, '')}`))
    const write = (piece: Buffer) => {
      bytes += piece.length
      writeSync(file, piece)
    }
    const finish = (status: number) => {
      socket.destroy()
      if (status === 200) resolve()
      else fail(String(status))
    }
    const counter = makeAnswerCounter(finish, write)
    const { hostname, port, host, pathname, search } = new URL(url)
    const take = (count: number, buffer: Uint8Array) => {
      counter.push(Buffer.from(buffer.buffer, buffer.byteOffset, count))
      return true
    }
    const onread = { buffer: Buffer.allocUnsafeSlow(readBytes), callback: take }
    const socket = connect({ host: hostname, port: Number(port), onread })
    socket.on('error', reject)
    socket.on('end', () => fail('An end before the last byte'))
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
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
