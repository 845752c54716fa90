/**
 * The spawner: a small process that starts programs for a large one, because starting a process costs more the more
 * memory its parent has. It is plain JavaScript, so that no types have to be stripped (12 MB, and most of its start).
 *
 * It sends a number to each connection to its socket. A request names the two connections that become the program's
 * input and output, so their data never passes through here. If the large process is gone, all running programs are
 * killed.
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

// Paused from the first byte: the data belongs to the program.
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

// A stop signal reaches the whole process group or service at once. The large process decides when its programs end.
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
    // A process group of its own, so that the whole group can be ended.
    const child = spawn(file, words, { cwd, env, stdio, detached: true })
    follow(id, child, maxComplaintBytes)
  } catch (error) {
    tell({ kind: 'failed', id, code: error.code, text: error.message })
  }
  // Only the program may hold them, so that they close when it ends.
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
  // Not on `exit`: its children may outlive it, hold its streams, and still have to be ended.
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
 * proc_pid_stat(5): `cutime` and `cstime` are the time of all ended children and theirs, in hundredths of a second. The
 * increase when a child ends is that child's time. If two end in the same instant, the first is billed for both.
 * Without /proc nothing is counted.
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
  // If nobody listens any more, `disconnect` is on its way.
  process.send(message, () => {})
}
