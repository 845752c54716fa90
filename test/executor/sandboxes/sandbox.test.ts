/** The sandbox itself: what it measures, what it leaves behind, and how it works for an ordinary user. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { isHeldUp, isStarved } from '../../../src/executor/sandboxes/boxes/processor-starvation.ts'
import { type Bubblewrap, makeBubblewrap } from '../../../src/executor/sandboxes/bubblewrap.ts'
import { demandIsolation } from '../../../src/executor/sandboxes/isolation.ts'
import { listChildren, readProc } from '../../../src/executor/sandboxes/processes.ts'
import type { BoxOutcome, BoxProgram } from '../../../src/executor/sandboxes/sandbox.ts'
import { skipWithoutCgroup, without } from '../../support/cgroup.ts'
import { until } from '../../support/until.ts'
import { startScriptedJudge } from '../scripted-judge.ts'
import { openCourt, suite } from '../suite.ts'
import { compileC } from './compile-c.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const mebibyte = 1024 * 1024
const halfPartners = { wallMs: 1_000, partnerMs: 500 }
/** A hundred threads that compute for 0.3 ms each at the same moments. */
const wakingTogether = `
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static long nanoseconds(clockid_t clock) { struct timespec t; clock_gettime(clock, &t); return t.tv_sec * 1000000000L + t.tv_nsec; }
static void *wake(void *none) {
  for (;;) {
    struct timespec next = { nanoseconds(CLOCK_MONOTONIC) / 1000000000L + 1, 0 };
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, 0);
    for (long since = nanoseconds(CLOCK_THREAD_CPUTIME_ID); nanoseconds(CLOCK_THREAD_CPUTIME_ID) - since < 300000;) ;
  }
}
int main(void) {
  pthread_t thread;
  for (int i = 0; i < 100; i++) pthread_create(&thread, 0, wake, 0);
  pause();
}
`

const spinning = `
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static long nanoseconds(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1000000000L + t.tv_nsec; }
static void spin(void) { for (long since = nanoseconds(); nanoseconds() - since < 2000000;) ; }
`
/** It computes without a pause: one of forty threads after the other. */
const passingOn = `${spinning}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turns[40];
static int turn;
static void *take(void *number) {
  pthread_mutex_lock(&lock);
  for (int own = (int)(long)number;;) {
    while (turn != own) pthread_cond_wait(&turns[own], &lock);
    spin();
    turn = (own + 1) % 40;
    pthread_cond_signal(&turns[turn]);
  }
}
int main(void) {
  pthread_t thread;
  for (long i = 0; i < 40; i++) pthread_create(&thread, 0, take, (void *)i);
  pause();
}
`
/** It computes without a pause: one short process after the other. */
const shortLived = `${spinning}
int main(void) { for (;;) { if (fork() == 0) { spin(); _exit(0); } wait(0); } }
`

describe('a box', () => {
  it('tells an exit code from a signal', () =>
    withSandbox(async (sandbox) => {
      assert.deepEqual(endOf(await shell(sandbox, 'exit 137')), [137, null])
      assert.deepEqual(endOf(await shell(sandbox, 'kill -KILL $$')), [null, 'SIGKILL'])
      assert.deepEqual(endOf(await shell(sandbox, 'kill -SEGV $$')), [null, 'SIGSEGV'])
      assert.deepEqual(endOf(await shell(sandbox, 'exit 0')), [0, null])
    }))

  it('measures the CPU time and the peak memory of the whole tree', () =>
    withSandbox(async (sandbox) => {
      const busy = 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'
      const one = await shell(sandbox, busy)
      const three = await shell(sandbox, `(${busy}) & (${busy}) & (${busy}) & wait`)
      assert.ok(one.cpuMs > 5 && three.cpuMs > 2 * one.cpuMs, `${one.cpuMs} and ${three.cpuMs}`)
      const big = await shell(sandbox, 'head -c 40000000 /dev/zero | tail -c 40000000 | wc -c')
      assert.ok(
        big.peakMemoryBytes > 38 * mebibyte && big.peakMemoryBytes <= 64 * mebibyte,
        String(big.peakMemoryBytes),
      )
      assert.equal(big.output.trim(), '40000000')
    }))

  it('is cut off at its output limit, its CPU time and its wall clock', () =>
    withSandbox(async (sandbox) => {
      assert.equal((await shell(sandbox, 'yes', { outputBytes: 1000 })).stopped, 'output')
      assert.equal((await shell(sandbox, 'while :; do :; done', { cpuMs: 100 })).stopped, 'cpu')
      assert.equal((await shell(sandbox, 'sleep 9', { wallMs: 100 })).stopped, 'wall')
    }))

  it('is stopped when it stands still, where it may not, and not while it computes', () =>
    withSandbox(async (sandbox) => {
      assert.equal((await shell(sandbox, 'sleep 9', { idleMs: 500 })).stopped, 'idle')
      assert.equal((await shell(sandbox, 'while :; do :; done', { cpuMs: 1_500, idleMs: 500 })).stopped, 'cpu')
    }))

  it('has as much of the processors as a box with a hundred processes', { skip: skipWithoutCgroup }, () =>
    withSandbox(async (sandbox) => {
      const limits = { wallMs: 3_000, cpuMs: 60_000, processes: 256 }
      const spin = 'while :; do :; done'
      // Each in a session of its own, which many kernels give a share of its own, where the box lets it.
      const crowd = `for i in $(seq 100); do { setsid sh -c "${spin}" || sh -c "${spin}"; } & done; sleep 60`
      const [one, many] = await Promise.all([shell(sandbox, spin, limits), shell(sandbox, crowd, limits)])
      assert.deepEqual([one.stopped, many.stopped], ['wall', 'wall'])
      // Two cores or more: one process can't use more than a core, whatever is its share.
      assert.ok(many.cpuMs > 500, `the crowd had ${many.cpuMs}`)
      assert.ok(one.cpuMs > many.cpuMs / (1.5 * availableParallelism()), `${one.cpuMs} beside ${many.cpuMs}`)
    }, 2),
  )

  it('that met the wall clock was held up where others had the processors, and not where it slept or wrote to stderr', () =>
    withSandbox(
      async (sandbox) => {
        const limits = { wallMs: 1_000, cpuMs: 60_000, processes: 128 }
        const spin = 'while :; do :; done'
        const programs = await Promise.all([passingOn, shortLived].map((source) => compileC(sandbox, source)))
        const makeCrowd = () =>
          Array.from({ length: 3 * availableParallelism() }, () => shell(sandbox, spin, { ...limits, wallMs: 3_000 }))
        const crowd = makeCrowd()
        const noisy = 'while :; do head -c 200000 /dev/zero >&2; sleep 0.1; done'
        const runScattered = () =>
          programs.map(({ path }) =>
            run(sandbox, ['/program/program'], limits, { files: [{ from: path, at: '/program/program' }] }),
          )
        const [held, asleep, bursts, passed, short] = await Promise.all([
          shell(sandbox, spin, limits),
          // Its start waits for a processor, too: that is to be a small part of its time.
          shell(sandbox, 'sleep 9', { ...limits, wallMs: 4_000 }),
          shell(sandbox, noisy, limits),
          ...runScattered(),
        ])
        for (const run of [held, asleep, bursts, passed, short]) assert.equal(run!.stopped, 'wall')
        assert.deepEqual([held!.wasHeldUp, asleep!.wasHeldUp], [true, false])
        assert.ok(bursts!.wallMs < 2 * limits.wallMs, `${bursts!.wallMs}`)
        await Promise.all(crowd)
        // What lives for a moment is seen by samples, of which a crowded machine may take too few.
        let scattered = [passed!, short!]
        for (let tries = 1; tries < 3 && !scattered.every(({ wasHeldUp }) => wasHeldUp); tries++) {
          const others = makeCrowd()
          scattered = await Promise.all(runScattered())
          await Promise.all(others)
        }
        const heldUp = scattered.map(({ wasHeldUp }) => wasHeldUp)
        assert.deepEqual(heldUp, [true, true], 'whichever thread or process computes')
      },
      3 * availableParallelism() + 5,
    ))

  it(
    'is not charged for time in which it was ready and others had the processors: other boxes, executors and programs',
    {
      skip: skipWithoutCgroup,
    },
    () =>
      withSandbox(async (sandbox) => {
        const program = await compileC(
          sandbox,
          `${spinning}int main(void) { for (int i = 0; i < 200; i++) spin(); return 0; }`,
        )
        const files = [{ from: program.path, at: '/program/program' }]
        const others = makeBubblewrap({ slotCount: 4 * availableParallelism() })
        const spin = 'while :; do :; done'
        const enough = new AbortController()
        const hosts = Array.from({ length: 2 }, () => spawn('/bin/sh', ['-c', spin]))
        const crowd = Array.from({ length: 4 * availableParallelism() }, () =>
          shell(others, spin, { wallMs: 60_000, cpuMs: 60_000 }, { signal: enough.signal }),
        )
        try {
          const outcome = await run(sandbox, ['/program/program'], { wallMs: 600, cpuMs: 2_000 }, { files })
          assert.deepEqual([outcome.stopped, outcome.exitCode], [null, 0])
          assert.ok(outcome.wallMs > 600, `it took ${outcome.wallMs} ms by the clock`)
          const asleep = await shell(sandbox, 'sleep 9', { wallMs: 600 })
          assert.equal(asleep.stopped, 'wall')
        } finally {
          for (const host of hosts) host.kill('SIGKILL')
          enough.abort()
          await Promise.all(crowd)
          await others.close()
        }
      }),
  )

  it('that slept, and wrote when its time was up, was not held up', () =>
    withSandbox(async (sandbox) => {
      const script = 'x=$(head -c 70000 /dev/zero | tr "\\0" z); sleep 2; while :; do printf %s "$x"; sleep 0.1; done'
      const run = await shell(sandbox, script, { wallMs: 4_000, outputBytes: 16 * mebibyte })
      assert.ok(run.wallMs > 4_900, `it had the second of one whose output flows: ${run.wallMs}`)
      assert.deepEqual([run.stopped, run.wasHeldUp], ['wall', false])
    }))

  it('whose threads sleep, and wake together for a moment, was not held up, though they wait for each other', () =>
    withSandbox(async (sandbox) => {
      const program = await compileC(sandbox, wakingTogether)
      const files = [{ from: program.path, at: '/program/program' }]
      const limits = { wallMs: 2_500, processes: 128 }
      const outcome = await run(sandbox, ['/program/program'], limits, { files })
      assert.deepEqual([outcome.stopped, outcome.wasHeldUp], ['wall', false])
    }))

  for (const [sentence, time, limits, heldUp] of [
    ['that is always ready and seldom runs', { ranMs: 50, waitedMs: 900 }, { wallMs: 1_000 }, true],
    ['that waits a little and sleeps', { ranMs: 5, waitedMs: 200 }, { wallMs: 1_000 }, false],
    ['that runs, and sleeps when its time is nearly over', { ranMs: 600, waitedMs: 10 }, { wallMs: 1_000 }, false],
    ['that waits for its partner half of the time', { ranMs: 50, waitedMs: 300 }, halfPartners, true],
  ] as const)
    it(`was ${heldUp ? '' : 'not '}held up if its busiest thread is one ${sentence}`, () =>
      assert.equal(isHeldUp(time, limits), heldUp))

  for (const [sentence, time, limits, starved] of [
    ['is always ready and seldom runs', { readyMs: 950, ranMs: 100 }, { wallMs: 1_000 }, true],
    ['runs whenever it is ready', { readyMs: 950, ranMs: 900 }, { wallMs: 1_000 }, false],
    ['runs on several processors at once', { readyMs: 950, ranMs: 1_800 }, { wallMs: 1_000 }, false],
    ['sleeps for a fifth of its time', { readyMs: 800, ranMs: 100 }, { wallMs: 1_000 }, false],
    ['waits for its partner half of the time', { readyMs: 480, ranMs: 100 }, halfPartners, true],
  ] as const)
    it(`was ${starved ? '' : 'not '}starved if of all its threads some ${sentence}`, () =>
      assert.equal(isStarved(time, limits), starved))

  it('hands a file out only when its program ended well', () =>
    withSandbox(async (sandbox) => {
      const good = await shell(sandbox, 'echo made >made; echo said', {}, { collect: '/box/made' })
      assert.deepEqual([good.output, Buffer.from(good.stderr).toString()], ['made\n', 'said\n'])
      const bad = await shell(sandbox, 'echo made >made; exit 1', {}, { collect: '/box/made' })
      assert.equal(bad.output, '')
      const device = await shell(sandbox, 'ln -s /dev/zero made', { outputBytes: 1000 }, { collect: '/box/made' })
      assert.equal(device.stopped, 'output')
    }))

  it('keeps nothing for the next run', () =>
    withSandbox(async (sandbox) => {
      await shell(sandbox, 'echo secret >/box/left; mkdir /tmp/deep; echo x >/dev/shm/left; sleep 99 &')
      const next = await shell(sandbox, 'ls -A /box/ /tmp/ /dev/shm/; cat /proc/[0-9]*/comm')
      assert.deepEqual(
        next.output.split('\n').filter((line) => /left|deep|sleep/.test(line)),
        [],
      )
    }))

  it('leaves the times of the devices that it shares with the host as they are', () =>
    withSandbox(async (sandbox) => {
      const timesOf = (name: string) => {
        const { mtimeNs, atimeNs } = statSync(`/dev/${name}`, { bigint: true })
        return [name, mtimeNs, atimeNs]
      }
      const before = ['null', 'zero'].map(timesOf)
      const outcome = await shell(
        sandbox,
        'touch /dev/null /dev/zero; touch new; echo said >/dev/null; cat /dev/null new',
      )
      assert.deepEqual([outcome.exitCode, outcome.output], [0, ''])
      assert.deepEqual(['null', 'zero'].map(timesOf), before)
    }))

  it('reads nothing of the host’s load, memory, disks or interrupts, and its runtimes are none the worse', () =>
    withSandbox(async (sandbox) => {
      const names = 'stat loadavg meminfo uptime vmstat interrupts softirqs diskstats zoneinfo buddyinfo locks cgroups'
      const read = `cd /proc; for f in ${names} sys/fs/file-nr pressure/cpu; do echo "$f $(md5sum 2>&1 <$f)"; done; ls pressure fs sys/fs irq`
      const first = await shell(sandbox, read)
      execFileSync('/bin/sh', ['-c', 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; sync'])
      assert.equal((await shell(sandbox, read)).output, first.output)
      const nproc = await shell(
        sandbox,
        'nproc --all; grep -c "^processor\\|^cpu MHz" /proc/cpuinfo >/dev/null; grep MemTotal /proc/meminfo',
      )
      assert.match(nproc.output, /^[1-9]\d*\nMemTotal: +[1-9]\d+ kB\n$/)
      const closed = await shell(sandbox, 'echo x >/proc/stat; umount /proc/stat; mkdir /proc/pressure/x')
      assert.notEqual(closed.exitCode, 0)
      const { output: group } = await shell(sandbox, 'cat /proc/self/cgroup')
      assert.doesNotMatch(group, /-\d{1,9}$/m, 'its group is not numbered')
      if (process.getuid?.() !== 0) return
      const network = await shell(
        sandbox,
        'cd /proc/net; cat sockstat sockstat6 softnet_stat protocols rt_acct stat/*; ls dev',
      )
      assert.equal(network.output, 'dev\n', 'nor does its network tell of others')
    }))

  it('is born without the descriptors that the executor was born with', () =>
    withSandbox(async (sandbox) => {
      const { output } = await run(sandbox, ['/bin/ls', '/proc/self/fd'])
      assert.equal(output, '0\n1\n2\n3\n') // the last is the listing's own
      await demandIsolation(sandbox, [])
    }))

  it('is started with every signal as it is by default, and no word of the executor’s environment', () =>
    withSandbox(async (sandbox) => {
      const script = 'grep -E "^Sig(Blk|Ign)" /proc/self/status; env | sort'
      const input = await sandbox.keep(Buffer.from(''))
      const kept = await shell(sandbox, script, {}, { input: input.path })
      const once = await shell(sandbox, script)
      const wanted = 'SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nPATH=/usr/bin:/bin\nPWD=/box\n'
      assert.deepEqual([kept.output, once.output], [wanted, wanted])
    }))

  it('whose starting process is killed ends with it, as a failure of the sandbox, and the next box has another', () =>
    withSandbox(async (sandbox) => {
      const cut = shell(sandbox, 'sleep 98765', { wallMs: 60_000 })
      await Promise.all([
        assert.rejects(cut, /process that starts boxes/),
        (async () => {
          await until(() => countSleepers() > 0)
          const [starter] = listChildren(process.pid).filter(
            (pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1') === '/bin/sh\0' && listChildren(pid).length > 0,
          )
          process.kill(starter!, 'SIGKILL')
        })(),
      ])
      await until(() => countSleepers() === 0)
      assert.equal((await shell(sandbox, 'echo next')).output, 'next\n')
    }))

  it('that can not be made is a failure of the sandbox, not of the program', () =>
    withSandbox(async (sandbox) => {
      await assert.rejects(shell(sandbox, 'true', {}, { folders: ['/no/such/folder'] }), /could not be made.*no\/such/s)
      await assert.rejects(run(sandbox, ['/no/such/program']), /\/no\/such\/program can't be run/)
    }))
})

describe('without a cgroup', () => {
  it('the verdicts are the same, from samples', async () => {
    const names = ['a sum', 'an endless loop', 'sleeps', 'a fork bomb', 'takes memory in one go', 'takes memory slowly']
    const more = [
      'exit code 137, which is no kill',
      'kills itself',
      'writes without end',
      'leaves survivors in another session',
      'a thread’s child computes, and its end is added to nobody',
      'a thread’s child takes memory',
    ]
    const court = await openCourt({ useCgroups: false, slotCount: 2 }, ['c'])
    assert.equal(court.sandbox.cgroup, 'none')
    await Promise.all(
      suite
        .filter((program) => program.language === 'c' && [...names, ...more].includes(program.name))
        .map(async (program) => assert.equal((await court.judge(program)).result, program.result, program.name)),
    )
    await court.close()
  })
})

describe('an ordinary user', () => {
  it('gets boxes of their own where the kernel lets users make namespaces, and is told where it does not', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'guildhall-user-'))
    const user = process.getuid?.() === 0 ? { uid: 63_333, gid: 63_333 } : {}
    try {
      execFileSync('chmod', ['755', folder])
      for (const room of ['lib', 'executor']) cpSync(join(root, 'src', room), join(folder, room), { recursive: true })
      copyFileSync(process.execPath, join(folder, 'node'))
      mkdirSync(join(folder, 'state'), { mode: 0o777 })
      execFileSync('chmod', ['777', join(folder, 'state')])
      writeFileSync(join(folder, 'try.ts'), userScript)
      const words = execFileSync(join(folder, 'node'), ['try.ts'], {
        cwd: folder,
        encoding: 'utf8',
        stdio: 'pipe',
        env: { PATH: process.env.PATH },
        ...user,
      })
      const said = JSON.parse(words)
      if (mayMakeNamespaces(user))
        assert.deepEqual(said, {
          breaches: [],
          output: '62000\nhello\n',
          stopped: 'cpu',
          reopened: 'no',
          read: 1,
          third: 'again\n',
        })
      else assert.match(said.failure, /could not be made/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('an executor that is killed with SIGKILL', () => {
  it('leaves no process, and the next one sweeps its groups and folders and judges the submission', async () => {
    const name = `left-${process.pid}`
    const judge = await startScriptedJudge()
    const state = mkdtempSync(join(tmpdir(), 'guildhall-state-'))
    const problem = judge.addProblem({ tests: [['', 'x']], timeLimitMs: 30_000 })
    const submission = judge.submit(
      problem,
      'c',
      `#include <sys/prctl.h>\n#include <unistd.h>\nint main(void) { prctl(PR_SET_NAME, "${name}"); fork(); setsid(); fork(); for (;;) ; }\n`,
    )
    const first = startProcess(judge.url, state)
    await judge.until(() => listProcesses(name).length >= 4)
    const marks = listMarks(state, first)
    assert.ok(marks.length >= (skipWithoutCgroup ? 1 : 2), `${marks}`)
    first.kill('SIGKILL')
    await judge.until(() => listProcesses(name).length === 0)
    await judge.until(() => judge.waitingClaims === 0)
    assert.doesNotMatch(readFileSync('/proc/self/mountinfo', 'utf8'), /guildhall-state/)

    submission.status = 'submitted'
    submission.content = '#include <stdio.h>\nint main(void) { puts("x"); }\n'
    const second = startProcess(judge.url, state)
    assert.equal((await judge.finished(submission)).Result, 1)
    await judge.until(() => listMarks(state, first).every((mark) => !marks.includes(mark)))
    second.kill('SIGTERM')
    await once(second, 'exit')
    const identities = judge.calls
      .filter(({ method }) => method.endsWith('register_executor'))
      .map(({ method, params }) => `${method} ${params.Name} ${params.InstanceID}`)
    const one = identities[0]!
    assert.deepEqual([...new Set(identities)], [one, `un${one}`], 'it takes the killed one’s place, and says goodbye')
    assert.deepEqual(listMarks(state, second), [], 'one that ends in peace leaves nothing at all')
    rmSync(state, { recursive: true })
    await judge.close()
  })

  it('started by a server, ends when the server is gone', async () => {
    const judge = await startScriptedJudge()
    const state = mkdtempSync(join(tmpdir(), 'guildhall-state-'))
    const child = startProcess(judge.url, state)
    await judge.until(() => judge.calls.some((call) => call.method.startsWith('get_and_update')))
    child.stdin!.end()
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
    rmSync(state, { recursive: true })
    await judge.close()
  })
})

const userScript = `
import { makeBubblewrap } from './executor/sandboxes/bubblewrap.ts'
import { findBreaches } from './executor/sandboxes/isolation.ts'
const limits = { cpuMs: 300, wallMs: 5000, memoryBytes: 64 << 20, outputBytes: 65536, folderBytes: 1 << 20, processes: 32 }
const sandbox = makeBubblewrap({ slotCount: 1, stateParent: './state' })
const run = async (script, input) => {
  let output = ''
  const outcome = await sandbox.run({ command: ['/bin/sh', '-c', script], environment: { PATH: '/usr/bin:/bin' }, folders: [], files: [], limits, input, onOutput: (chunk) => { output += Buffer.from(chunk) } })
  return { ...outcome, output }
}
try {
  const breaches = await findBreaches(sandbox)
  const input = await sandbox.keep(Buffer.from('hello\\n'))
  const { output } = await run('id -u; cat', input.path)
  const { stopped } = await run('while :; do :; done')
  const second = await run('chmod 777 /proc/self/fd/0 2>/dev/null || (echo bad >/proc/self/fd/0) 2>/dev/null || echo no', input.path)
  const reading = await run('cat /dev/stdout')
  await run('chmod 0 /proc/self/fd/1 /proc/self/fd/2')
  const third = await run('echo again >/dev/stdout')
  const read = reading.stopped ?? reading.exitCode
  console.log(JSON.stringify({ breaches, output, stopped, reopened: second.output.trim(), read, third: third.output }))
} catch (error) {
  console.log(JSON.stringify({ failure: error.message }))
}
await sandbox.close()
`

async function withSandbox(act: (sandbox: Bubblewrap) => Promise<void>, slotCount = 1): Promise<void> {
  const sandbox = makeBubblewrap({ slotCount })
  try {
    await act(sandbox)
  } finally {
    await sandbox.close()
  }
}

const shell = (sandbox: Bubblewrap, script: string, limits: object = {}, more: Partial<BoxProgram> = {}) =>
  run(sandbox, ['/bin/sh', '-c', script], limits, more)

async function run(
  sandbox: Bubblewrap,
  command: string[],
  limits: object = {},
  more: Partial<BoxProgram> = {},
): Promise<BoxOutcome & { output: string }> {
  let output = ''
  const outcome = await sandbox.run({
    command,
    environment: { PATH: '/usr/bin:/bin' },
    folders: [],
    files: [],
    limits: {
      cpuMs: 5_000,
      wallMs: 10_000,
      memoryBytes: 64 * mebibyte,
      outputBytes: mebibyte,
      folderBytes: 16 * mebibyte,
      processes: 32,
      ...limits,
    },
    onOutput: (chunk) => {
      output += Buffer.from(chunk)
    },
    ...more,
  })
  return { ...outcome, output }
}

const endOf = (outcome: BoxOutcome) => [outcome.exitCode, outcome.signal]

function startProcess(url: string, state: string): ChildProcess {
  const words = [
    '--server',
    url,
    '--token',
    '-',
    '--parallel',
    '2',
    '--only',
    'c',
    '--state',
    state,
    '--without',
    without.join(),
  ]
  const child = spawn(process.execPath, [join(root, 'src', 'executor', 'main.ts'), ...words], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { PATH: process.env.PATH, GUILDHALL_LOG: 'error' },
  })
  child.stdin!.write('worker-token\n')
  started.add(child)
  return child
}

/** One that a failed test leaves running would hold the whole run up. */
const started = new Set<ChildProcess>()
after(() => {
  for (const child of started) child.kill('SIGKILL')
})

/** What this executor has made: folders in its state folder, and groups with its mark. */
function listMarks(state: string, { pid }: ChildProcess): string[] {
  const listIn = (folder: string) =>
    (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [])
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name))
  const families = ['memory', 'pids', 'cpuacct', 'unified', '.'].map((tree) =>
    join('/sys/fs/cgroup', tree, 'guildhall-boxes'),
  )
  const groups = families.flatMap(listIn).flatMap(listIn)
  return [
    ...listIn(join(state, `guildhall-executor-${process.getuid?.()}`)),
    ...groups.filter((group) => group.includes(`-${pid}-`)),
  ]
}

/** By the name a process gave itself. */
const countSleepers = () =>
  listProcesses('sleep').filter((pid) => readProc(`${pid}/cmdline`) === 'sleep\x0098765\0').length

function listProcesses(name: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name
    } catch {
      return false
    }
  })
}

function mayMakeNamespaces(user: { uid?: number; gid?: number }): boolean {
  try {
    execFileSync('unshare', ['--user', '--map-root-user', 'true'], { stdio: 'ignore', ...user })
    return true
  } catch {
    return false
  }
}
