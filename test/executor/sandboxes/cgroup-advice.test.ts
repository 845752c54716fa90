/** What the doctor says where no cgroup can be made, by the kind of machine. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { inspectMachine } from '../../../src/executor/doctor.ts'
import { adviseOnCgroups } from '../../../src/executor/sandboxes/cgroups/cgroup-advice.ts'

const machines: [sentence: string, paths: string[], environment: NodeJS.ProcessEnv, advice: RegExp][] = [
  ['a container', ['/.dockerenv'], {}, /--privileged --cgroupns=private/],
  ['a service', ['/run/systemd/system'], { INVOCATION_ID: 'x', SYSTEMD_EXEC_PID: '1' }, /Delegate=memory pids cpu/],
  ['a laptop', ['/run/systemd/system'], {}, /systemd-run --user --scope npm start/],
  ['another machine', [], {}, /as root/],
]
for (const [sentence, paths, environment, advice] of machines) {
  it(`advice on cgroups suits ${sentence}`, () =>
    assert.match(
      adviseOnCgroups(environment, (path) => paths.includes(String(path))),
      advice,
    ))
}

it('the doctor says that nothing is judged without one, what is lost, and the next step', async () => {
  const find = async (without: string[]) =>
    (await inspectMachine({ useCgroups: false, without })).find(({ subject }) => subject === 'cgroup')!
  const missing = await find([])
  assert.equal(missing.state, 'missing')
  assert.match(missing.words, /more than its limits/)
  assert.ok(missing.advice)
})
