/** Runs in boxes against the same programs bare and under plain bubblewrap. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeBubblewrap } from '../../src/executor/sandboxes/bubblewrap.ts'
import type { BoxProgram } from '../../src/executor/sandboxes/sandbox.ts'
import { median, rounds, run, timed } from './timing.ts'

/** One after the other and in turn, so that the machine's moods fall on all three alike. */
export async function compareBoxes(folder: string): Promise<{ plain: number[]; bare: number[] }> {
  const program = join(folder, 'hello')
  writeFileSync(`${program}.c`, '#include <stdio.h>\nint main(void) { puts("hello"); }\n')
  await run('gcc', ['-O2', '-o', program, `${program}.c`])
  const sandbox = makeBubblewrap({ slotCount: 1 })
  const input = await sandbox.keep(Buffer.from(''))
  const plainWords = [
    ...['--unshare-all', '--die-with-parent', '--ro-bind', '/usr', '/usr', '--symlink', 'usr/lib', '/lib'],
    ...['--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib64', '/lib64', '--proc', '/proc', '--dev', '/dev'],
    ...['--tmpfs', '/tmp', '--ro-bind', program, '/hello', '/hello'],
  ]
  const ratios = { plain: [] as number[], bare: [] as number[] }
  for (let round = 0; round <= rounds; round++) {
    const times = { ours: [] as number[], plain: [] as number[], bare: [] as number[] }
    for (let i = 0; i < 40; i++) {
      times.ours.push(await timed(() => sandbox.run({ ...describe(program), input: input.path })))
      times.plain.push(await timed(() => run('bwrap', plainWords)))
      times.bare.push(await timed(() => run(program, [])))
    }
    if (round === 0) continue // the first warms everything up
    ratios.plain.push(median(times.ours) / median(times.plain))
    ratios.bare.push(median(times.ours) / median(times.bare))
  }
  await sandbox.close()
  return ratios
}

/**
 * One counts, and the other answers each number: in two boxes, as a checker and a program, and as two processes with two
 * named pipes. The checker writes to its feedback folder, or only ends.
 */
export async function compareInteraction(folder: string, isTalkative = false): Promise<number[]> {
  for (const [name, text] of Object.entries(talkers)) {
    writeFileSync(join(folder, `${name}.c`), text)
    await run('gcc', ['-O2', '-o', join(folder, name), join(folder, `${name}.c`)])
  }
  await run('mkfifo', ['-m', '600', join(folder, 'there'), join(folder, 'back')]).catch(() => undefined)
  const bare = `cd ${folder}; ./counting >there <back & ./answering <there >back; wait`
  const sandbox = makeBubblewrap({ slotCount: 1 })
  const input = await sandbox.keep(Buffer.from('1000'))
  const pair = {
    program: describe(join(folder, 'answering')),
    partner: {
      ...describe(join(folder, 'counting')),
      command: ['/program/program', ...(isTalkative ? ['/box/feedback/judgemessage.txt'] : [])],
      testFiles: [{ from: input.path, name: 'input' }],
      handOut: { folder: '/box/feedback', files: [{ name: 'judgemessage.txt', mostBytes: 65_536 }], archive: false },
    },
    mayGoOn: () => true,
  }
  const ratios: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const times = { ours: [] as number[], bare: [] as number[] }
    for (let i = 0; i < 20; i++) {
      times.ours.push(await timed(() => sandbox.runPair(pair)))
      times.bare.push(await timed(() => run('/bin/sh', ['-c', bare])))
    }
    if (round > 0) ratios.push(median(times.ours) / median(times.bare))
  }
  await sandbox.close()
  return ratios
}

const talkers = {
  counting:
    '#include <stdio.h>\nint main(int n, char **words) { for (int i = 0, x; i < 1000; i++) { printf("%d\\n", i); fflush(stdout); if (scanf("%d", &x) != 1) return 1; } if (n > 1) fputs("well", fopen(words[1], "w")); }\n',
  answering:
    '#include <stdio.h>\nint main(void) { int x; while (scanf("%d", &x) == 1) { printf("%d\\n", x + 1); fflush(stdout); } }\n',
}

const describe = (program: string): BoxProgram => ({
  command: ['/program/program'],
  environment: {},
  folders: [],
  files: [{ from: program, at: '/program/program' }],
  limits: {
    ...{ cpuMs: 1_000, wallMs: 3_000, memoryBytes: 64 << 20, outputBytes: 16 << 20 },
    ...{ folderBytes: 64 << 20, processes: 128 },
  },
  onOutput: () => undefined,
})
