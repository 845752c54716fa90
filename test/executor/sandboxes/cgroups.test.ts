/** Cgroups: where groups are made, and how both versions' files are read; version 2 over a folder of plain files. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openCgroups } from '../../../src/executor/sandboxes/cgroups/cgroups.ts'
import { listCgroupMounts } from '../../../src/executor/sandboxes/cgroups/mounts.ts'
import { makeUnifiedHierarchy } from '../../../src/executor/sandboxes/cgroups/version-2.ts'
import { generateOwner, isOwnerAlive } from '../../../src/executor/sandboxes/owner.ts'
import { skipWithoutCgroup } from '../../support/cgroup.ts'
import { until } from '../../support/until.ts'

const unified = '29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n'
const split =
  '33 32 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n' +
  '34 32 0:30 /docker/abc /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n'

describe('where groups are made', () => {
  it('root makes them at the top', () => {
    const [mount] = listCgroupMounts(unified, '0::/system.slice/guildhall.service\n', true)
    assert.deepEqual(mount, {
      ...{ type: 'cgroup2', controllers: [], path: '/sys/fs/cgroup', candidates: ['/sys/fs/cgroup'] },
    })
  })

  it('an ordinary user makes them in the nearest folder above that is theirs', () => {
    const [mount] = listCgroupMounts(unified, '0::/user.slice/user@1000.service/app.slice/x.scope\n', false)
    const names = ['/user.slice/user@1000.service/app.slice/x.scope', '/user.slice/user@1000.service/app.slice']
    assert.deepEqual(
      mount!.candidates.slice(0, 2),
      names.map((name) => `/sys/fs/cgroup${name}`),
    )
    assert.equal(mount!.candidates.at(-1), '/sys/fs/cgroup')
  })

  it('controllers that share a tree, and a tree that begins at a container, are understood', () => {
    const membership = '5:memory:/docker/abc/inner\n4:cpu,cpuacct:/docker/abc\n0::/\n'
    const [cpu, memory] = listCgroupMounts(split, membership, false)
    assert.deepEqual([cpu!.controllers, memory!.controllers], [['cpu', 'cpuacct'], ['memory']])
    assert.equal(cpu!.candidates[0], '/sys/fs/cgroup/cpu,cpuacct/docker/abc')
    assert.equal(memory!.candidates[0], '/sys/fs/cgroup/memory/inner')
  })
})

describe('version 2', () => {
  const withGroup = (act: (folder: string, hierarchy: ReturnType<typeof makeUnifiedHierarchy>) => void) => {
    const root = mkdtempSync(join(tmpdir(), 'guildhall-cgroup-'))
    const folder = join(root, 'box')
    mkdirSync(folder)
    const files = { 'memory.max': 'max', 'memory.swap.max': 'max', 'memory.oom.group': '0', 'pids.max': 'max' }
    const figures = { 'memory.peak': '1048576\n', 'memory.events': 'low 0\noom 0\noom_kill 0\n' }
    const pressure = 'some avg10=0.00 avg60=0.00 avg300=0.00 total=250500\nfull avg10=0.00 total=1\n'
    const times = { 'cpu.stat': 'usage_usec 1234567\nuser_usec 1\n', 'cpu.weight': '', 'cpu.pressure': pressure }
    for (const [name, text] of Object.entries({ ...files, ...figures, ...times }))
      writeFileSync(join(folder, name), text)
    act(folder, makeUnifiedHierarchy(root))
    rmSync(root, { recursive: true })
  }

  it('writes its limits, with no swap to hide in', () =>
    withGroup((folder, hierarchy) => {
      hierarchy.limit([folder], { memoryBytes: 64 << 20, processes: 128 })
      const read = (name: string) => readFileSync(join(folder, name), 'utf8')
      assert.deepEqual([read('memory.max'), read('pids.max')], ['67108864', '128'])
      assert.match(read('memory.swap.max'), /^0/)
      assert.match(read('memory.oom.group'), /^1/)
    }))

  it('gives boxes the same share of the processors, a slow compilation a quarter, and tells how long one waited for them', () =>
    withGroup((folder, hierarchy) => {
      const shares = [undefined, 0.25].map((share) => {
        writeFileSync(join(folder, 'cpu.weight'), '')
        hierarchy.limit([folder], { memoryBytes: 64 << 20, processes: 128, ...(share && { share }) })
        return readFileSync(join(folder, 'cpu.weight'), 'utf8')
      })
      assert.deepEqual(shares, ['100', '25'])
      assert.equal(hierarchy.open([folder]).readWaitMs(), 250.5)
    }))

  it('tells its own shortage of memory from the machine’s', () =>
    withGroup((folder, hierarchy) => {
      const group = hierarchy.open([folder])
      const events = (oom: number, kills: number) =>
        writeFileSync(join(folder, 'memory.events'), `low 0\noom ${oom}\noom_kill ${kills}\noom_group_kill 0\n`)
      assert.deepEqual(group.readMemory(), { peakBytes: 1048576, shortage: null })
      events(1, 2)
      assert.equal(group.readMemory().shortage, 'own')
      events(0, 1)
      assert.equal(group.readMemory().shortage, 'machine')
      assert.equal(group.readCpuMs(), 1234.567)
    }))

  it('tells what a group has of memory now', () =>
    withGroup((folder, hierarchy) => {
      writeFileSync(join(folder, 'memory.current'), '4096\n')
      assert.equal(hierarchy.readHeldBytes([folder]), 4096)
    }))

  it('knows the highest use it has seen where the kernel keeps none', () =>
    withGroup((folder, hierarchy) => {
      rmSync(join(folder, 'memory.peak'))
      const group = hierarchy.open([folder])
      for (const bytes of [100, 300, 200]) {
        writeFileSync(join(folder, 'memory.current'), `${bytes}\n`)
        group.readCpuMs()
      }
      assert.equal(group.readMemory().peakBytes, 300)
    }))
})

it('a group that nothing was ever in is unused, and one with a process is not', {
  skip: skipWithoutCgroup,
}, async () => {
  const { cgroups } = openCgroups(generateOwner())
  const group = cgroups!.make({ memoryBytes: 64 << 20, processes: 16 })
  const child = spawn('sleep', ['60'])
  try {
    assert.equal(group.isUnused(), true)
    await group.admit(child.pid!)
    assert.equal(group.isUnused(), false)
    assert.ok(group.readMemory().peakBytes >= 0)
  } finally {
    group.kill()
    await group.remove()
    await cgroups!.close()
  }
})

it('the groups of an executor that is alive are left alone, and those of a dead one are removed', {
  skip: skipWithoutCgroup,
}, async () => {
  const alive = generateOwner()
  const dead = alive.replace(/-\d+-(\d+)$/, '-1-$1')
  const [one, other] = [alive, dead].map((owner) => openCgroups(owner).cgroups!)
  const [ofAlive, ofDead] = [one!, other!].map((each) => each.make({ memoryBytes: 64 << 20, processes: 16 }))
  const third = openCgroups(generateOwner()).cgroups!
  try {
    await until(() => !ofDead!.entryFiles.some(existsSync))
    assert.ok(ofAlive!.entryFiles.every(existsSync))
  } finally {
    await one!.close()
    await other!.close()
    await third.close()
  }
})

describe('an owner', () => {
  it('is alive for as long as its process is, and one of another boot or another life is not', () => {
    const mark = generateOwner()
    assert.equal(isOwnerAlive(mark), true)
    assert.equal(isOwnerAlive(mark.replace(/^[0-9a-f]+/, '00000000')), false)
    assert.equal(isOwnerAlive(mark.replace(/-\d+-(\d+)$/, '-1-$1')), false)
    assert.equal(isOwnerAlive('rubbish'), false)
  })

  it('of another pid namespace can not be seen, and so counts as alive', () => {
    assert.equal(isOwnerAlive(generateOwner().replace(/-\d+-/, '-1-')), true)
  })
})
