/** Reports folders set aside because the database did not know them, kept until an administrator decides. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../lib/failure.ts'
import { readSettings } from '../../settings.ts'
import { asideFolder, repositoriesFolder } from '../../store/installation/inspection.ts'
import type { Finding } from './finding.ts'

export async function inspectSetAsideFolders(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  let root: string
  try {
    root = join(readSettings(environment).dataFolder, repositoriesFolder, asideFolder)
  } catch (error) {
    if (error instanceof OperatorError) return []
    throw error
  }
  const findings: Finding[] = []
  for (const day of await namesIn(root)) {
    for (const name of await namesIn(join(root, day))) {
      const folder = join(root, day, name)
      const says = `${folder}, ${((await sizeOf(folder)) / 1024 ** 2).toFixed(1)} MiB, is not a repository of the database.`
      const advice = `To keep it: git -C ${folder} push --mirror to a new repository. Then, or if nobody misses it, delete the folder.`
      findings.push({ name: 'set aside', state: 'poor', says, advice })
    }
  }
  return findings
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0
  for (const { parentPath, name } of await readdir(folder, { recursive: true, withFileTypes: true })) {
    bytes += (await lstat(join(parentPath, name))).size
  }
  return bytes
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])
