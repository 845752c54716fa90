/** Attacks on boxes that are kept: whatever a program or a checker does in one test, the next one finds what it would without. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Bubblewrap, makeBubblewrap } from '../../../src/executor/sandboxes/bubblewrap.ts'
import type { BoxProgram, KeptFile } from '../../../src/executor/sandboxes/sandbox.ts'
import { skipWithoutCgroup } from '../../support/cgroup.ts'
import { compileC } from './compile-c.ts'
import { attacks, source, wordOf } from './kept-attacks.ts'

const sizes = { memoryBytes: 64 << 20, outputBytes: 32 << 20, folderBytes: 1 << 20 }
const limits = { ...sizes, cpuMs: 2_000, wallMs: 5_000, processes: 32 }
const names = ['judgemessage.txt', 'teammessage.txt', 'score.txt']

describe('what is done in boxes that are kept', {
  skip: skipWithoutCgroup || (process.getuid?.() !== 0 && 'this needs root'),
}, () => {
  let sandbox: Bubblewrap
  let program: KeptFile
  before(async () => {
    sandbox = makeBubblewrap({ slotCount: 1 })
    program = await compileC(sandbox, source)
  })
  after(() => sandbox.close())

  /** One test in which both do this; answers what both said. */
  async function talk(word: string) {
    const test = await sandbox.keep(Buffer.from(`${word} ${word}`))
    const box: BoxProgram = {
      ...{ command: ['/program/program'], environment: {}, folders: [], limits, onOutput: () => undefined },
      files: [{ from: program.path, at: '/program/program' }],
    }
    try {
      const outcome = await sandbox.runPair({
        program: box,
        partner: {
          ...{ ...box, keptFor: 'one', command: ['/program/program', 'partner'] },
          testFiles: [{ from: test.path, name: 'input' }],
          handOut: {
            folder: '/box/feedback',
            files: names.map((name) => ({ name, mostBytes: 65_536 })),
            archive: false,
          },
        },
        mayGoOn: () => true,
      })
      const said = ({ stderr }: { stderr: Uint8Array }) => Buffer.from(stderr).toString().split('\n')
      return { partner: said(outcome.partner), program: said(outcome.program) }
    } finally {
      test.drop()
    }
  }

  it('has a name of its own for each attack', () => {
    assert.equal(new Set(Object.keys(attacks).map(wordOf)).size, Object.keys(attacks).length)
  })

  let usual: Awaited<ReturnType<typeof talk>>
  before(async () => {
    await talk('nothing')
    usual = await talk('look')
  })

  for (const name of Object.keys(attacks)) {
    it(`leaves nothing to the next test: ${name}`, async () => {
      assert.ok(usual.partner.length > 50 && usual.partner.includes('heard well'), usual.partner.join('\n'))
      await talk(wordOf(name))
      assert.deepEqual(await talk('look'), usual)
    })
  }
})
