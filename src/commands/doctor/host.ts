/** Inspects what serving needs of the machine: Node, git, a writable folder, a database that answers. */
import { existsSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OperatorError } from '../../base/failure.ts'
import { readSettings } from '../../settings.ts'
import { databaseFile } from '../../store/files/data-folder.ts'
import { type Place, probeStore } from '../../store/open-store.ts'
import type { Finding } from './finding.ts'
import { askProgram } from './program.ts'

const neededNode = 24
/** This is the first version that knows `core.fsync`. */
const neededGit = [2, 36] as const
const scarceBytes = 1024 ** 3

export async function inspectNode(): Promise<Finding[]> {
  const { node } = process.versions
  if (Number(node.split('.')[0]) >= neededNode) return [{ name: 'Node', state: 'good', says: node }]
  const advice = `Start with npm start, which fetches Node ${neededNode}, or install it.`
  return [{ name: 'Node', state: 'bad', says: `${node} is older than ${neededNode}.`, advice }]
}

export async function inspectGit(): Promise<Finding[]> {
  const { isWell, text } = await askProgram('git', ['--version'])
  const says = text.replace(/^git version /, '')
  if (isWell && isNewEnough(says)) return [{ name: 'git', state: 'good', says }, ...(await inspectBounds())]
  if (isWell) {
    const advice = 'Install a newer one: this one does not sync what a push writes, which a power cut may undo.'
    return [{ name: 'git', state: 'poor', says: `${says} is older than ${neededGit.join('.')}.`, advice }]
  }
  const advice = 'Install git: repositories can not be hosted without it.'
  return [{ name: 'git', state: 'poor', says: 'is missing.', advice }]
}

/** Whether the system keeps a process to the memory and time it is given. */
async function inspectBounds(): Promise<Finding[]> {
  const script = 'ulimit -v 1048576 && ulimit -t 60 && test "$(ulimit -v) $(ulimit -t)" = "1048576 60"'
  if ((await askProgram('/bin/sh', ['-c', script])).isWell) return []
  const advice = 'A crafted push may take all memory: use Linux where strangers can push.'
  return [{ name: 'git bounds', state: 'poor', says: 'this system sets no limits of memory and time.', advice }]
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > neededGit[0] || (major === neededGit[0] && minor >= neededGit[1])
}

export async function inspectData(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  try {
    const settings = readSettings(environment)
    return [await inspectFolder(settings.dataFolder), await inspectDatabase(settings)]
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return [{ name: 'settings', state: 'bad', says: error.message }]
  }
}

/** Creates nothing: where the folder does not exist yet, it checks whether it could be created. */
async function inspectFolder(folder: string): Promise<Finding> {
  let there = folder
  while (!existsSync(there)) there = dirname(there)
  const isWritable = await access(there, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!isWritable) {
    const advice = 'Set GUILDHALL_DATA to a folder that can.'
    return { name: 'data folder', state: 'bad', says: `${there} can't be written.`, advice }
  }
  const { bavail, bsize } = await statfs(there)
  const free = bavail * bsize
  const says = `${folder}, ${(free / 1024 ** 3).toFixed(1)} GiB free`
  if (free >= scarceBytes) return { name: 'data folder', state: 'good', says }
  return { name: 'data folder', state: 'poor', says, advice: 'Make room, or set GUILDHALL_DATA to a larger disk.' }
}

async function inspectDatabase(place: Place): Promise<Finding> {
  if (!place.databaseUrl && !existsSync(join(place.dataFolder, databaseFile))) {
    return { name: 'database', state: 'good', says: 'SQLite, to be made at the first start' }
  }
  await probeStore(place)
  return { name: 'database', state: 'good', says: `${place.databaseUrl ? 'PostgreSQL' : 'SQLite'} answers` }
}
