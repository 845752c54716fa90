/** Everything that can be read below /proc and /sys in two boxes, with others at work in between: what differs is named here. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { type Bubblewrap, makeBubblewrap } from '../../../src/executor/sandboxes/bubblewrap.ts'
import { skipWithoutKeptBoxes } from './kept-stage.ts'

/** Each file with its content, in hexadecimal; of links, where they lead. */
const script = `
list() { find /proc /sys -path '/proc/[0-9]*' -prune -o -type f -print; find /proc/self/ -path '*/task/*' -prune -o -type f -print; } 2>/dev/null
list | while read -r f; do echo "$f $(head -c 65536 "$f" 2>/dev/null | od -An -v -tx1 | tr -d ' \\n')"; done
for f in /proc/self/ns/* /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/cwd /proc/self/root; do echo "$f $(readlink $f | od -An -v -tx1 | tr -d ' \\n')"; done
`

/** What may differ, and why that tells a run nothing of others that it could not know otherwise. */
const mayDiffer: Readonly<Record<string, string>> = {
  // Of the process that reads it itself: its memory's addresses, its time, its switches.
  ...own(
    'auxv',
    'maps',
    'smaps',
    'smaps_rollup',
    'numa_maps',
    'pagemap',
    'stat',
    'statm',
    'status',
    'sched',
    'schedstat',
  ),
  ...own('syscall', 'io', 'environ', 'stack', 'arch_status', 'mem', 'clear_refs', 'map_files'),
  // Numbers that the kernel gives out again once they are free, by how many boxes there are: of mounts, of namespaces.
  ...own('mountinfo', 'fdinfo'),
  ...ofNamespaces('cgroup', 'ipc', 'mnt', 'net', 'pid', 'pid_for_children', 'uts'),
  // Drawn at random for each box, or each pipe.
  ...own('cgroup', 'fd/1', 'fd/2'),
  // Of the process that started it, which was there before all boxes: no later one has a higher number (below).
  ...own('autogroup'),
  // The kernel's timers of this network, in its own time.
  ...own('net/fib_triestat', 'net/dev_snmp6/lo'),
}

function own(...names: string[]) {
  return Object.fromEntries(names.map((name) => [`/proc/self/${name}`, 'its own']))
}
function ofNamespaces(...names: string[]) {
  return Object.fromEntries(names.map((name) => [`/proc/self/ns/${name}`, 'its own']))
}

test('two boxes read the same below /proc and /sys, but for what is named', {
  skip: skipWithoutKeptBoxes,
}, async () => {
  const sandbox = makeBubblewrap({ slotCount: 1 })
  try {
    for (const isKept of [true, false]) {
      const first = await read(sandbox, isKept)
      const files = await Promise.all(Array.from({ length: 20 }, () => sandbox.keep(Buffer.from('x'))))
      for (let i = 0; i < 8; i++) execFileSync('setsid', ['--fork', '--wait', '/bin/sh', '-c', 'exit 0'])
      await read(sandbox, !isKept)
      const second = await read(sandbox, isKept)
      for (const file of files) file.drop()
      const differing = [...first.keys(), ...second.keys()].filter((path) => first.get(path) !== second.get(path))
      assert.deepEqual([...new Set(differing)].filter((path) => !isNamed(path)).sort(), [])
      assertTold(first)
      assert.ok(first.size > 50, `${first.size} were read`)
    }
  } finally {
    await sandbox.close()
  }
})

test('a box has the session of a process that was there before all boxes, however many there are', {
  skip: skipWithoutKeptBoxes || (!existsSync('/proc/self/autogroup') && 'this kernel does not number sessions'),
}, async () => {
  const sandbox = makeBubblewrap({ slotCount: 2 })
  try {
    await read(sandbox, false, 'true')
    const highest = readSession()
    assert.ok(readSession() > highest, 'the kernel numbers each new session')
    // While one box is there the other can't have its process.
    const beside = Promise.all([read(sandbox, true, 'sleep 1'), read(sandbox, false, 'sleep 1')])
    const seen = [await read(sandbox, true, tellSession), await read(sandbox, false, tellSession), ...(await beside)]
    const numbers = seen.flatMap((files) => [...files.keys()].map((line) => Number(/autogroup-(\d+)/.exec(line)?.[1])))
    assert.equal(numbers.length, 2)
    for (const number of numbers) assert.ok(number < highest, `${number}, and ${highest} was made before`)
  } finally {
    await sandbox.close()
  }
})

const tellSession = 'cat /proc/self/autogroup'

/** The number of a new one of the host's. */
const readSession = () =>
  Number(/\d+/.exec(execFileSync('setsid', ['--wait', 'cat', '/proc/self/autogroup'], { encoding: 'utf8' }))![0])

test('a box knows neither the executor’s process nor any capability, nor how the kernel was started', {
  skip: skipWithoutKeptBoxes,
}, async () => {
  const sandbox = makeBubblewrap({ slotCount: 1 })
  try {
    for (const isKept of [true, false]) {
      const seen = await read(sandbox, isKept)
      assert.equal(seen.get('/proc/cmdline'), '')
      for (const file of ['mountinfo', 'cgroup'])
        assert.doesNotMatch(seen.get(`/proc/self/${file}`)!, new RegExp(`-${process.pid}-`))
      for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'])
        assert.match(seen.get('/proc/self/status')!, new RegExp(`^Cap${set}:\\s0+$`, 'm'))
    }
  } finally {
    await sandbox.close()
  }
})

const isNamed = (path: string) => Object.keys(mayDiffer).some((name) => path === name || path.startsWith(`${name}/`))

/** No number in what is drawn at random can count anything. */
function assertTold(seen: ReadonlyMap<string, string>): void {
  assert.doesNotMatch(seen.get('/proc/self/mountinfo')!, /kept-\d{1,9}\b|pipe-\d{1,9}\b/)
}

async function read(sandbox: Bubblewrap, isKept: boolean, words = script): Promise<Map<string, string>> {
  const input = await sandbox.keep(Buffer.from(''))
  let said = ''
  const { exitCode } = await sandbox.run({
    command: ['/bin/sh', '-c', words],
    ...{ environment: { PATH: '/usr/bin:/bin' }, folders: [], files: [{ from: input.path, at: '/program/program' }] },
    ...(isKept ? { input: input.path, keptFor: String(Math.random()) } : { isAnew: true, input: input.path }),
    limits: {
      cpuMs: 60_000,
      wallMs: 120_000,
      memoryBytes: 1 << 28,
      outputBytes: 1 << 26,
      folderBytes: 1 << 20,
      processes: 64,
    },
    onOutput: (chunk) => {
      said += Buffer.from(chunk).toString()
    },
  })
  input.drop()
  assert.equal(exitCode, 0)
  const lines = said.split('\n').filter(Boolean)
  return new Map(
    lines
      .map((line) => line.split(' '))
      .map(([path, bytes = '']) => [path!, Buffer.from(bytes, 'hex').toString('latin1')]),
  )
}
