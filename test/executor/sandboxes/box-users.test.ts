/** The users of boxes: no two executors of a machine have the same, and what one's programs do is not counted as another's. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { claimUsers, countBlocks, listBlocks } from '../../../src/executor/sandboxes/boxes/box-users.ts'
import { type Bubblewrap, makeBubblewrap } from '../../../src/executor/sandboxes/bubblewrap.ts'
import { until } from '../../support/until.ts'

const rooms = join(import.meta.dirname, '..', '..', '..', 'src', 'executor', 'sandboxes')
/** Two blocks that no executor would choose, and no other process of tests has. */
const least = 1_024 + 64 * (process.pid % 900)
const space = { userMap: `${least} 0 128`, groupMap: '0 0 4294967295', accounts: new Set<number>() }
const needsRoot = process.getuid?.() !== 0 && 'this needs root'

describe('the ids that boxes may have', () => {
  const all = '0 0 4294967295\n'
  const cases: [string, { maps: [string, string]; accounts?: number[] }, { count: number; first?: number }][] = [
    ['a machine', { maps: [all, all] }, { count: 55, first: 62_000 }],
    ['a container of 65,536 ids', { maps: ['0 100000 65536', '0 100000 65536'] }, { count: 55, first: 62_000 }],
    ['ids that end in a block', { maps: [all, '0 100000 62127'] }, { count: 1, first: 62_000 }],
    ['a map in parts', { maps: ['0 1000 1\n1 100000 1151', all] }, { count: 2, first: 1_024 }],
    ['a few ids', { maps: ['0 1000 1\n1 100000 2000', all] }, { count: 15, first: 1_024 }],
    ['few ids and accounts', { maps: ['0 1000 1200', all], accounts: [1_024, 65_534] }, { count: 1, first: 1_088 }],
    ['only its root', { maps: ['0 1000 1', '0 1000 1'] }, { count: 0 }],
  ]
  for (const [name, { maps, accounts = [] }, { count, first }] of cases) {
    it(`of ${name}`, () => {
      const blocks = listBlocks({ userMap: maps[0], groupMap: maps[1], accounts: new Set(accounts) })
      assert.deepEqual([blocks.length, blocks[0]], [count, first])
    })
  }

  it('are refused with a reason where there are too few, or others have them all', () => {
    assert.throws(() => claimUsers(129, space), /need 192 user and group ids in a row.*too few: map/)
    const [one, other] = [claimUsers(6, space), claimUsers(6, space)]
    assert.deepEqual([one.ids[0], other.ids[0]].sort(), [least, least + 64])
    assert.throws(() => claimUsers(6, space), /needs 1 of 2 blocks.*all but 0\. Stop one of them/)
    one.release()
    assert.throws(() => claimUsers(65, space), /needs 2 of 2 blocks.*all but 1\./)
    const third = claimUsers(6, space)
    assert.deepEqual(third.ids, one.ids)
    other.release()
    third.release()
  })

  it('are free again when the one that has them is killed', async () => {
    const script = `
      import { claimUsers } from '${rooms}/boxes/box-users.ts'
      const ids = claimUsers(65, { ...${JSON.stringify(space)}, accounts: new Set() }).ids
      console.log(ids.length)
      setInterval(() => {}, 1000)`
    const other = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 2] })
    await once(other.stdout!, 'data')
    assert.throws(() => claimUsers(1, space), /are taken/)
    other.kill('SIGKILL')
    await once(other, 'exit')
    claimUsers(65, space).release()
  })
})

describe('two executors of one machine', { skip: needsRoot }, () => {
  it('do not count the processes of each other', async () => {
    const [one, other] = [makeBubblewrap({ slotCount: 1 }), makeBubblewrap({ slotCount: 1 })]
    const calledOff = new AbortController()
    let said = ''
    const script = 'i=0; while [ $i -lt 100 ]; do sleep 60 & i=$((i+1)); done; echo all; wait'
    const many = run(
      one,
      script,
      128,
      (words) => {
        said = words
      },
      calledOff.signal,
    )
    try {
      await until(() => said === 'all\n')
      const { exitCode, output } = await run(other, '(echo one; (echo two; true); true)', 32)
      assert.deepEqual([exitCode, output], [0, 'one\ntwo\n'])
      assert.equal(new Set([...one.users, ...other.users]).size, one.users.length + other.users.length)
      assert.ok(countBlocks().taken >= 2)
    } finally {
      calledOff.abort()
      await many
      await Promise.all([one.close(), other.close()])
    }
  })
})

describe('a container that maps a few ids', { skip: needsRoot }, () => {
  it('has boxes with users out of these', async (t) => {
    const state = mkdtempSync(join(tmpdir(), 'guildhall-mapped-'))
    const script = `
      import { makeBubblewrap } from '${rooms}/bubblewrap.ts'
      const sandbox = makeBubblewrap({ slotCount: 1, useCgroups: false, stateParent: '${state}' })
      let said = ''
      const limits = { cpuMs: 5000, wallMs: 10000, memoryBytes: 64 << 20, outputBytes: 65536, folderBytes: 1 << 20, processes: 32 }
      const onOutput = (chunk) => { said += Buffer.from(chunk) }
      await sandbox.run({ command: ['/bin/sh', '-c', 'id -u; id -g'], environment: { PATH: '/usr/bin:/bin' }, folders: [], files: [], limits, onOutput })
      await sandbox.close()
      console.log(sandbox.users[0] < 3000 ? said.replaceAll(sandbox.users[0], 'mapped') : sandbox.users[0])`
    const words = ['-c', 'read -r line; exec "$@"', 'sh', process.execPath, '--input-type=module', '--eval', script]
    const inside = spawn('unshare', ['--user', '/bin/sh', ...words], { stdio: ['pipe', 'pipe', 'pipe'] })
    try {
      const ownNamespace = readlinkSync('/proc/self/ns/user')
      await until(() => readlinkSync(`/proc/${inside.pid}/ns/user`) !== ownNamespace)
      const map = '0 0 1\n1 300001 2999\n'
      for (const name of ['uid_map', 'gid_map']) writeFileSync(`/proc/${inside.pid}/${name}`, map)
      inside.stdin.end('go\n')
      const [said, complaint] = await Promise.all([text(inside.stdout), text(inside.stderr)])
      if (/could not be made/.test(complaint)) return t.skip('this machine lets no namespace of users mount')
      assert.equal(`${said}${complaint}`, 'mapped\nmapped\n\n')
    } finally {
      rmSync(state, { recursive: true, force: true })
    }
  })
})

async function run(
  sandbox: Bubblewrap,
  script: string,
  processes: number,
  onOutput: (words: string) => void = () => undefined,
  signal?: AbortSignal,
) {
  let output = ''
  const limits = { cpuMs: 5_000, wallMs: 60_000, memoryBytes: 256 << 20, outputBytes: 1 << 16, folderBytes: 1 << 20 }
  const outcome = await sandbox.run({
    ...{ command: ['/bin/sh', '-c', script], environment: { PATH: '/usr/bin:/bin' }, folders: [], files: [] },
    limits: { ...limits, processes },
    onOutput(chunk) {
      output += Buffer.from(chunk).toString()
      onOutput(output)
    },
    ...(signal && { signal }),
  })
  return { ...outcome, output }
}
