/**
 * The spawner: a process of little memory that starts programs for a large one, because what a start costs grows with the
 * memory of whoever starts. It is plain JavaScript, so that nothing has to strip its types (12 MB, and most of its start).
 *
 * Each connection to its socket is told a number. A request names by their numbers the two that become the program's input
 * and output, so that what flows never passes through here. Whatever runs is ended when the large process is gone.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'guildhall-spawner-'))
const address = join(folder, 'socket')
const backlog = 1000

const connections = new Map()
const running = new Map()
let connected = 0

// Paused from the first byte: what arrives is for the program alone.
const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
  const number = ++connected
  connections.set(number, socket)
  socket.on('error', () => {})
  socket.on('close', () => connections.delete(number))
  socket.write(`${number}\n`)
})
server.listen(address, backlog, () => tell({ kind: 'ready', folder, address }))

process.on('message', (message) => {
  if (message.kind === 'start') start(message)
  else endGroup(running.get(message.id), message.signal)
})

// A stop is told to the whole group or service at once. It is the large process that decides when its programs end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})

process.on('disconnect', () => {
  for (const child of running.values()) endGroup(child, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  process.exit()
})

function start({ id, file, words, cwd, env, input, output, maxComplaintBytes }) {
  const [stdin, stdout] = [connections.get(input), connections.get(output)]
  try {
    if (!stdout || (input !== undefined && !stdin)) throw new Error('A connection was closed before its program began.')
    const stdio = [stdin ?? 'ignore', stdout, 'pipe']
    // A group of its own, which can be ended whole.
    const child = spawn(file, words, { cwd, env, stdio, detached: true })
    follow(id, child, maxComplaintBytes)
  } catch (error) {
    tell({ kind: 'failed', id, code: error.code, text: error.message })
  }
  // The program alone holds them: their end is its end.
  stdin?.destroy()
  stdout?.destroy()
}

function follow(id, child, maxComplaintBytes) {
  const complaints = []
  let size = 0
  let cpuMicros = 0
  child.on('error', (error) => {
    if (child.pid === undefined) tell({ kind: 'failed', id, code: error.code, text: error.message })
  })
  if (child.pid === undefined) return
  running.set(id, child)
  tell({ kind: 'started', id, pid: child.pid })
  child.stderr.on('data', (chunk) => {
    if (size < maxComplaintBytes) complaints.push(chunk)
    size += chunk.length
  })
  child.on('exit', () => {
    cpuMicros = takeEndedMicros()
  })
  // Not before: what it started may outlive it, hold its streams, and have to be ended yet.
  child.on('close', (code, signal) => {
    running.delete(id)
    const complaint = Buffer.concat(complaints).subarray(0, maxComplaintBytes).toString()
    tell({ kind: 'ended', id, code, signal, complaint, cpuMicros })
  })
}

function endGroup(child, signal) {
  if (!child) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    child.kill(signal)
  }
}

const tickMicros = 10_000
let knownMicros = 0

/**
 * proc_pid_stat(5): `cutime` and `cstime`, what all ended children took together, with theirs, in hundredths of a second.
 * What is new when one ends is that one's; of two that end in the same instant the first is billed for both. Where there is
 * no /proc, nothing is counted.
 */
function takeEndedMicros() {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const micros = (Number(fields[13]) + Number(fields[14])) * tickMicros
    const more = micros - knownMicros
    knownMicros = micros
    return more
  } catch {
    return 0
  }
}

function tell(message) {
  // Where nobody listens any more, `disconnect` is on its way.
  process.send(message, () => {})
}
