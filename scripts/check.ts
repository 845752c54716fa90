/** `npm run check`: everything before a commit. `npm run format` is the first step with mending (`--fix`). */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const mend = process.argv.includes('--fix')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

const steps: [string, string, string[]][] = [
  ['format and lint', bin('biome'), ['check', ...(mend ? ['--write'] : []), '--error-on-warnings', '.']],
  ...(mend
    ? []
    : ([
        ['types', bin('tsc'), ['--project', root]],
        ['types of the page', bin('tsc'), ['--noEmit', '--project', join(root, 'web')]],
        ['tests', process.execPath, [join(root, 'scripts', 'test.ts')]],
      ] as [string, string, string[]][])),
]

for (const [name, file, words] of steps) {
  process.stderr.write(`check: ${name}\n`)
  const { status } = spawnSync(file, words, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
