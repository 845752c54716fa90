/** The filter's program, carried out as the kernel would, for both machines. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assembleFilter, hiddenCalls, idleCalls, refusedCalls } from '../../../src/executor/sandboxes/filter/seccomp.ts'
import {
  auditArchitecture,
  lastKnownNumber,
  type Machine,
  type SystemCall,
  systemCallNumber,
} from '../../../src/executor/sandboxes/filter/system-calls.ts'

const allow = 'allow'
const refused = 'error 1'
const absent = 'error 38'
const family = 'error 97'
const noLocks = 'error 37'
const kill = 'kill'

/** Calls that every runtime needs, by their numbers on x64 and arm64. */
const needed: Record<string, [number, number]> = {
  read: [0, 63],
  write: [1, 64],
  openat: [257, 56],
  close: [3, 57],
  mmap: [9, 222],
  mprotect: [10, 226],
  munmap: [11, 215],
  brk: [12, 214],
  futex: [202, 98],
  execve: [59, 221],
  exit_group: [231, 94],
  wait4: [61, 260],
  kill: [62, 129],
  pipe2: [293, 59],
  prctl: [157, 167],
  prlimit64: [302, 261],
  epoll_create1: [291, 20],
  eventfd2: [290, 19],
  getrandom: [318, 278],
  clock_gettime: [228, 113],
  sched_getaffinity: [204, 123],
  rt_sigaction: [13, 134],
  setresuid: [117, 147],
  copy_file_range: [326, 285],
  memfd_create: [319, 279],
  statx: [332, 291],
  rseq: [334, 293],
  close_range: [436, 436],
  faccessat2: [439, 439],
}

for (const machine of ['x64', 'arm64'] as const satisfies Machine[]) {
  describe(`the filter on ${machine}`, () => {
    const ask = (number: number, ...words: number[]) =>
      carryOut(assembleFilter(machine), auditArchitecture[machine], number, words)
    const askFor = (name: SystemCall, ...words: number[]) => ask(systemCallNumber(name, machine)!, ...words)
    const isThere = (name: SystemCall) => systemCallNumber(name, machine) !== null

    it('lets through what every runtime needs', () => {
      for (const [name, [x64, arm64]] of Object.entries(needed)) {
        assert.equal(ask(machine === 'x64' ? x64 : arm64), allow, name)
      }
    })
    it('refuses what no program needs', () => {
      for (const name of refusedCalls.filter(isThere)) assert.equal(askFor(name), refused, name)
    })
    it('hides what libc can do without', () => {
      for (const name of hiddenCalls.filter(isThere)) assert.equal(askFor(name), absent, name)
    })
    it('hides whatever is newer than itself', () => {
      assert.equal(ask(lastKnownNumber), allow)
      for (const number of [lastKnownNumber + 1, 470, 600, 100_000]) assert.equal(ask(number), absent)
    })
    it('starts processes and threads but no namespace', () => {
      const [thread, fork] = [0x3d_0f00, 17]
      for (const flags of [thread, fork]) assert.equal(askFor('clone', flags), allow)
      for (const flag of [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000]) {
        assert.equal(askFor('clone', fork | flag), refused)
      }
    })
    it('unshares nothing, which is how a user is changed, and nothing else', () => {
      assert.equal(askFor('unshare', 0), allow)
      for (const flag of [0x80, 0x2_0000, 0x1000_0000, 0x4000_0000]) assert.equal(askFor('unshare', flag), refused)
    })
    it('knows one family of sockets', () => {
      for (const name of ['socket', 'socketpair'] as const) {
        assert.equal(askFor(name, 1), allow)
        for (const number of [0, 2, 3, 10, 16, 17, 38, 40, 44]) assert.equal(askFor(name, number), family)
      }
    })
    it('takes no lock, lease or notice, but lets a toolchain lock whole files', () => {
      for (const command of [6, 7, 37, 38, 1024, 1026]) assert.equal(askFor('fcntl', 3, command), noLocks)
      for (const command of [0, 1, 2, 3, 4, 1030, 1032]) assert.equal(askFor('fcntl', 3, command), allow)
      assert.equal(askFor('flock', 3, 2), noLocks)
      const compiling = assembleFilter(machine, { mayFlock: true })
      const flock = systemCallNumber('flock', machine)!
      assert.equal(carryOut(compiling, auditArchitecture[machine], flock, [3, 2]), allow)
    })
    it('sets the size of no pipe', () => {
      assert.equal(askFor('fcntl', 0, 1031), refused)
    })
    it('flushes no disk and sets no times of files, and says that it did', () => {
      for (const name of idleCalls.filter(isThere)) assert.equal(askFor(name), 'error 0', name)
    })
    it('moves no page of a file in or out, and does not say which are in memory', () => {
      for (const advice of [3, 20, 21]) assert.equal(askFor('madvise', 0, 0, advice), 'error 0', String(advice))
      for (const advice of [12, 13, 25]) assert.equal(askFor('madvise', 0, 0, advice), 'error 22', String(advice))
      for (const advice of [0, 1, 2, 4, 8, 14, 22, 23]) assert.equal(askFor('madvise', 0, 0, advice), allow)
      for (const name of ['fadvise64', 'readahead', 'sync_file_range', 'mlock', 'mlock2', 'mlockall'] as const)
        assert.equal(askFor(name), 'error 0', name)
      for (const name of ['mincore', 'cachestat'] as const) assert.equal(askFor(name), absent, name)
      for (const name of ['preadv2', 'pwritev2'] as const) {
        assert.equal(askFor(name, 3, 0, 1, 0, 0, 0), allow)
        for (const flags of [1, 2, 4, 8, 16, 0x80]) assert.equal(askFor(name, 3, 0, 1, 0, 0, flags), 'error 95')
      }
      assert.equal(askFor('process_madvise'), refused)
      assert.equal(askFor('prctl', 67), 'error 22')
      assert.equal(askFor('prctl', 62), 'error 22', 'cookies of cores')
    })
    it('adds no filter of its own, and sets the limits of no other process', () => {
      assert.equal(askFor('prctl', 22), 'error 22')
      assert.equal(askFor('prctl', 15), allow)
      assert.equal(askFor('prlimit64', 0), allow)
      assert.equal(askFor('prlimit64', 1), refused)
    })
    it('does not change a file’s time by leaving its owner as it is', () => {
      const same = 0xffff_ffff
      for (const name of (['chown', 'lchown', 'fchown'] as const).filter(isThere)) {
        assert.equal(askFor(name, 3, same, same), 'error 0', name)
        for (const words of [
          [3, 1000, same],
          [3, same, 1000],
          [3, 1000, 1000],
        ])
          assert.equal(askFor(name, ...words), allow, name)
      }
      assert.equal(askFor('fchownat', 3, 0, same, same, 0), 'error 0')
      for (const words of [
        [3, 0, 1000, same],
        [3, 0, same, 1000],
      ])
        assert.equal(askFor('fchownat', ...words), allow)
    })
    it('tells no number that counts for the whole host', () => {
      for (const option of [57, 71, 77]) assert.equal(askFor('getsockopt', 3, 1, option), 'error 92', String(option))
      for (const option of [3, 4, 7, 17]) assert.equal(askFor('getsockopt', 3, 1, option), allow, String(option))
      for (const option of [16, 76]) assert.equal(askFor('setsockopt', 3, 1, option), 'error 92', String(option))
      assert.equal(askFor('bind', 3, 0, 2), 'error 22')
      assert.equal(askFor('bind', 3, 0, 7), allow)
      assert.equal(askFor('setsockopt', 3, 1, 2), allow)
      for (const request of [0xb701, 0xb702, 0x8008_b705, 0x8004_b706, 0x8010_b70a, 0x8008_b70d])
        assert.equal(askFor('ioctl', 3, request), 'error 25', request.toString(16))
      assert.equal(askFor('statx', 3, 0, 0, 0x4fff), 'error 22')
      assert.equal(askFor('statx', 3, 0, 0, 0x1fff), allow)
      assert.equal(askFor('clone', 0x1011), 'error 22')
    })
    it('sets no mark of a file, and asks nothing of a file system', () => {
      for (const command of [1035, 1036, 1038, 1040, 5000]) assert.equal(askFor('fcntl', 3, command), 'error 22')
      for (const command of [1033, 1034]) assert.equal(askFor('fcntl', 3, command), allow)
      // Precached extents of ext4 and their mark, attributes, maps, pages, clones, shut down, encryption, of f2fs.
      for (const request of [0x6612, 0x4004_6629, 0x4008_6602, 0xc020_660b, 0xc060_6610, 0x4004_9409, 0x8004_587d])
        assert.equal(askFor('ioctl', 3, request), 'error 25', request.toString(16))
      for (const request of [0xc050_6617, 0xf50f, 0x8004_5200, 0x1272])
        assert.equal(askFor('ioctl', 3, request), 'error 25', request.toString(16))
      for (const request of [0x541b, 0x5421, 0x5450, 0x5451, 0x5413, 0x8905])
        assert.equal(askFor('ioctl', 3, request), allow, request.toString(16))
    })
    it('sends no file to another, which would set the time of a device', () => {
      assert.equal(askFor('sendfile', 1, 3, 0, 1), 'error 22')
    })
    it('gives no huge pages', () => {
      assert.equal(askFor('mmap', 0, 4096, 3, 0x4_0022), 'error 12')
      assert.equal(askFor('mmap', 0, 4096, 3, 0x22), allow)
      assert.equal(askFor('mmap', 0, 4096, 1, 0x2001), refused, 'locked')
      assert.equal(askFor('memfd_create', 0, 4), 'error 12')
      assert.equal(askFor('memfd_create', 0, 3), allow)
    })
    it('types nothing into a terminal', () => {
      assert.equal(askFor('ioctl', 0, 0x5401), allow)
      for (const request of [0x5412, 0x541c]) assert.equal(askFor('ioctl', 0, request), refused)
    })
    it('keeps the personality plain', () => {
      for (const persona of [0, 0xffff_ffff, 0x4_0000]) assert.equal(askFor('personality', persona), allow)
      for (const persona of [8, 0x40_0000, 0x10_0000]) assert.equal(askFor('personality', persona), refused)
    })
    it('ends a program that speaks for another machine', () => {
      const other = auditArchitecture[machine === 'x64' ? 'arm64' : 'x64']
      assert.equal(carryOut(assembleFilter(machine), other, 0, []), kill)
      assert.equal(carryOut(assembleFilter(machine), 0x4000_0003, 0, []), kill)
      if (machine === 'x64') assert.equal(ask(0x4000_0000), kill)
    })
  })
}

/** A classic BPF machine with the few instructions that the filter uses. */
function carryOut(program: Buffer, architecture: number, number: number, words: number[]): string {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(architecture, 4)
  words.forEach((word, i) => {
    data.writeUInt32LE(word, 16 + 8 * i)
  })
  let accumulator = 0
  for (let at = 0; at < program.length / 8; at++) {
    const code = program.readUInt16LE(at * 8)
    const value = program.readUInt32LE(at * 8 + 4)
    const jump = (isTrue: boolean) => program.readUInt8(at * 8 + (isTrue ? 2 : 3))
    if (code === 0x20) accumulator = data.readUInt32LE(value)
    else if (code === 0x15) at += jump(accumulator === value)
    else if (code === 0x35) at += jump(accumulator >= value)
    else if (code === 0x45) at += jump((accumulator & value) !== 0)
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0
    else if (code === 0x06) return nameAnswer(value)
    else assert.fail(`instruction ${code}`)
  }
  return assert.fail('the program runs off its end')
}

function nameAnswer(value: number): string {
  if (value === 0x7fff_0000) return allow
  if (value === 0x8000_0000) return kill
  return `error ${value & 0xffff}`
}
