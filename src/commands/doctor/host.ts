/** Inspects what serving needs of the machine: Node, git, a writable folder, a database that answers. */
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../lib/failure.ts'
import { readSettings, type Settings } from '../../settings.ts'
import { databaseFile, demandWhole, demandWritable, findExisting } from '../../store/files/data-folder.ts'
import { probeInstallation } from '../../store/installation/installation.ts'
import { probeStore, type StoreLocation } from '../../store/open-store.ts'
import type { Finding } from './finding.ts'
import { askProgram } from './program.ts'

const neededNode = 24
/** The first version with `core.fsync`. */
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

/** Whether the system enforces a process's limits of memory and time. */
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
  let settings: Settings
  try {
    settings = readSettings(environment)
  } catch (error) {
    return [toFault('settings', error)]
  }
  const folder = await inspectFolder(settings.dataFolder)
  const database = await inspectDatabase(settings)
  const isServable = folder.state !== 'bad' && database.state !== 'bad'
  return isServable ? inspectInstallation(settings, folder, database) : [folder, database]
}

/** Only faults that an operator can fix are findings. */
function toFault(name: string, error: unknown): Finding {
  if (error instanceof OperatorError) return { name, state: 'bad', says: error.message }
  throw error
}

const folderName = 'data folder'

async function inspectFolder(folder: string): Promise<Finding> {
  try {
    demandWritable(folder)
    demandWhole(folder)
  } catch (error) {
    return toFault(folderName, error)
  }
  const { bavail, bsize } = await statfs(findExisting(folder))
  const free = bavail * bsize
  const says = `${folder}, ${(free / 1024 ** 3).toFixed(1)} GiB free`
  if (free >= scarceBytes) return { name: folderName, state: 'good', says }
  return { name: folderName, state: 'poor', says, advice: 'Make room, or set GUILDHALL_DATA to a larger disk.' }
}

async function inspectDatabase(place: StoreLocation): Promise<Finding> {
  const name = 'database'
  if (!place.databaseUrl && !existsSync(join(place.dataFolder, databaseFile)))
    return { name, state: 'good', says: 'SQLite, to be made at the first start' }
  const engine = place.databaseUrl ? 'PostgreSQL' : 'SQLite'
  try {
    const { isReadOnly } = await probeStore(place)
    if (!isReadOnly) return { name, state: 'good', says: `${engine} answers` }
  } catch (error) {
    return toFault(name, error)
  }
  const advice = 'Promote it if it is a standby, or set DATABASE_URL to the primary.'
  return { name, state: 'bad', says: `${engine} answers, and takes no changes`, advice }
}

/** Whether folder and database belong together: reports what `serve` would refuse, and what it would create. */
async function inspectInstallation(place: StoreLocation, folder: Finding, database: Finding): Promise<Finding[]> {
  try {
    if (!(await probeInstallation(place)).isNew) return [folder, database]
  } catch (error) {
    return [folder, database, toFault('installation', error)]
  }
  const what = existsSync(place.dataFolder) ? 'holds no installation yet' : 'is not there yet'
  const says = `${folder.says}; it ${what}: serve would begin a new one in it.`
  const advice = 'If there should be one, see that it is mounted, or set GUILDHALL_DATA to its folder.'
  const scarce = folder.state === 'good' ? [] : [folder]
  return [{ name: folderName, state: 'poor', says, advice }, ...scarce, database]
}
