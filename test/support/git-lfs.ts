/** The real Git LFS client: the system's, or Debian's package unpacked beside the project, where it can be had. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'git-lfs')

/** Puts `git lfs` within git's reach, for this process and those it starts. Undefined where it is, else why it is not. */
export async function provideGitLfs(): Promise<string | undefined> {
  if (isOnPath('git-lfs')) return undefined
  const folder = join(cache, 'usr', 'bin')
  try {
    if (!existsSync(join(folder, 'git-lfs'))) await unpackPackage()
  } catch (error) {
    return `there is no git-lfs here, and Debian's package can't be had: ${String(error).split('\n', 1)[0]}`
  }
  process.env.PATH = `${folder}${delimiter}${process.env.PATH}`
  return undefined
}

const isOnPath = (name: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, name)))

/** Downloaded, not installed: the system stays as it is. Two test runs at once may both do it; the first has it. */
async function unpackPackage(): Promise<void> {
  await mkdir(join(cache, '..'), { recursive: true })
  const stage = await mkdtemp(`${cache}-`)
  try {
    await run('apt-get', ['download', '-qq', 'git-lfs'], { cwd: stage })
    const archive = (await readdir(stage)).find((name) => name.endsWith('.deb'))
    if (!archive) throw new Error('apt-get downloaded nothing')
    await run('dpkg', ['-x', archive, 'root'], { cwd: stage })
    await rename(join(stage, 'root'), cache).catch((error) => {
      if (!existsSync(join(cache, 'usr', 'bin', 'git-lfs'))) throw error
    })
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}
