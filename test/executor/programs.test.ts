/** The suite: hostile and odd programs, each with the verdict it must get, and a host unharmed after all of them. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { result } from '../../src/executor/judging/verdict.ts'
import { surveyLanguages } from '../../src/executor/languages/configuration.ts'
import { skipWithoutCgroup } from '../support/cgroup.ts'
import { until } from '../support/until.ts'
import { judgeBesideNeighbours } from './neighbours.ts'
import { kernelPrograms } from './programs/kernel.ts'
import type { SuiteProgram } from './programs/program.ts'
import { type Court, openCourt, suite } from './suite.ts'

/** Those whose toolchain this machine has; the others are named as skipped. */
const { languages } = await surveyLanguages()
const here = new Set(languages.map(({ value }) => value))

describe('a program gets the verdict it has earned', { concurrency: 4 }, () => {
  let court: Court
  let untouched: HostFigures
  before(async () => {
    court = await openCourt({ slotCount: 4 })
    untouched = readHost()
  })
  after(async () => {
    assert.deepEqual(listBoxProcesses(), [], 'no process of a box remains')
    await court.close()
    // What a box held is freed by the kernel a moment after its end.
    let harm: string[] = []
    await until(() => {
      harm = listHarm(untouched, readHost())
      return harm.length === 0
    }).catch(() => assert.fail(harm.join('; ')))
  })

  for (const program of suite) {
    const isNowhere = program.result === result.unsupportedLanguage
    const hasNoToolchain = !isNowhere && !here.has(program.language) && `no toolchain for ${program.language}`
    const skip = hasNoToolchain || (kernelPrograms.includes(program) && skipWithoutCgroup)
    it(`${program.language}: ${program.name} → ${program.result}`, { skip }, async () => assertVerdict(court, program))
  }
})

it('a correct program at four fifths of its time is right each time, whoever runs beside it', {
  skip: skipWithoutCgroup,
}, async () => {
  const court = await openCourt({ slotCount: 2 }, ['c'])
  const { wrong } = await judgeBesideNeighbours(court, 12)
  await court.close()
  assert.deepEqual(wrong, [])
})

async function assertVerdict(court: Court, program: SuiteProgram): Promise<void> {
  const report = await court.judge(program)
  const [test] = report.tests
  const words = report.compilerOutput || (test?.stderr ?? '')
  const context = JSON.stringify({ ...test, stderr: undefined, words: words.slice(0, 800) })
  assert.equal(report.result, program.result, context)
  if (program.exitCode !== undefined) assert.equal(test?.exitCode, program.exitCode, context)
  if (program.signal !== undefined) assert.equal(test?.signal, program.signal, context)
  if (program.says) assert.match(words, program.says)
  assert.ok(Buffer.byteLength(words) <= 3 * 64 * 1024, 'what is kept of its words is bounded')
}

type HostFigures = { memoryMiB: number; slabMiB: number; descriptors: number; aioContexts: number }

/** What the host has left. Other work goes on beside, so of memory only a large part is missed. */
function readHost(): HostFigures {
  const memory = readFileSync('/proc/meminfo', 'utf8')
  const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(memory)![1]) / 1024
  return {
    memoryMiB: mib('MemAvailable'),
    slabMiB: mib('SUnreclaim'),
    descriptors: readdirSync('/proc/self/fd').length,
    aioContexts: Number(readFileSync('/proc/sys/fs/aio-nr', 'utf8')),
  }
}

function listHarm(old: HostFigures, now: HostFigures): string[] {
  const harm: string[] = []
  if (now.memoryMiB < old.memoryMiB - 2048) harm.push(`${old.memoryMiB - now.memoryMiB} MiB of memory are gone`)
  if (now.slabMiB > old.slabMiB + 128) harm.push(`${now.slabMiB - old.slabMiB} MiB of the kernel's memory are gone`)
  if (now.descriptors > old.descriptors + 4) harm.push(`${now.descriptors - old.descriptors} descriptors are left open`)
  if (now.aioContexts > old.aioContexts) harm.push('contexts of asynchronous input remain')
  return harm
}

/** Whoever their parent is by now, processes of a box are in a cgroup that bears the mark of this process. */
function listBoxProcesses(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`-${process.pid}-`)
      } catch {
        return false
      }
    })
}
