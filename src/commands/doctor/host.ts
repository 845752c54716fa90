/** Inspects what serving needs of the machine: Node, git, a writable folder, a database that answers. */
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { OperatorError } from '../../base/failure.ts'
import { readSettings } from '../../settings.ts'
import { probeInstallation } from '../../store/installation/installation.ts'
import type { Place } from '../../store/open-store.ts'
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
    return await inspectInstallation(settings)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return [{ name: 'settings', state: 'bad', says: error.message }]
  }
}

/** Refuses what `serve` refuses, and creates nothing. */
async function inspectInstallation(place: Place): Promise<Finding[]> {
  const { isNew, isReadOnly } = await probeInstallation(place)
  const engine = place.databaseUrl ? 'PostgreSQL' : 'SQLite'
  const database: Finding = isReadOnly
    ? { name: 'database', state: 'bad', says: `${engine} answers, and takes no changes`, advice: promotion }
    : { name: 'database', state: 'good', says: isNew && !place.databaseUrl ? toBeMade : `${engine} answers` }
  return [...(await inspectFolder(place.dataFolder, isNew)), database]
}

const toBeMade = 'SQLite, to be made at the first start'
const promotion = 'Promote it if it is a standby, or set DATABASE_URL to the primary.'

async function inspectFolder(folder: string, isNew: boolean): Promise<Finding[]> {
  let there = folder
  while (!existsSync(there)) there = dirname(there)
  const { bavail, bsize } = await statfs(there)
  const free = bavail * bsize
  const name = 'data folder'
  const says = `${folder}, ${(free / 1024 ** 3).toFixed(1)} GiB free`
  const findings: Finding[] = []
  if (isNew) {
    const what = there === folder ? 'holds no installation yet' : 'is not there yet'
    const advice = 'If there should be one, see that it is mounted, or set GUILDHALL_DATA to its folder.'
    findings.push({ name, state: 'poor', says: `${says}; it ${what}: serve would begin a new one in it.`, advice })
  }
  if (free < scarceBytes)
    findings.push({ name, state: 'poor', says, advice: 'Make room, or set GUILDHALL_DATA to a larger disk.' })
  return findings.length > 0 ? findings : [{ name, state: 'good', says }]
}
