/** When all have ended: no process, lock, lease, temporary file or half-made folder of theirs is left. */
import { readdirSync, readFileSync, readlinkSync, utimesSync } from 'node:fs'
import { join, relative } from 'node:path'
import pg from 'pg'
import { until } from '../support/until.ts'
import type { Findings } from './client.ts'
import type { Cluster } from './cluster.ts'

const [minuteMs, hourMs] = [60_000, 3_600_000]

/**
 * What a killed server leaves is given time, for it may still be at work elsewhere: ten minutes for a push, an hour for a
 * repository that is being made. Here that time is made to have passed.
 */
export async function letTimePass({ databaseUrl, dataFolder }: Cluster): Promise<void> {
  await withDatabase(databaseUrl, async (database) => {
    await database.query(`update push set created_at = created_at - ${20 * minuteMs} where state = 'receiving'`)
    await database.query(`update job set lease_until = 0 where state = 'running'`)
    await database.query(`update job set run_at = 0 where state = 'queued'`)
  })
  const drafts = join(dataFolder, 'repositories', 'coming')
  const longAgo = (Date.now() - 2 * hourMs) / 1000
  for (const name of namesIn(drafts)) utimesSync(join(drafts, name), longAgo, longAgo)
}

export async function auditProcesses({ folder }: Cluster, findings: Findings): Promise<void> {
  // What a killed executor ran ends with it, a moment later.
  await until(() => listProcesses(folder).length === 0, 100).catch(() => {
    findings.push(`processes are left: ${listProcesses(folder).join('; ')}`)
  })
}

/** All whose words, folder or environment name the cluster's folder. */
function listProcesses(folder: string): string[] {
  const isOurs = (pid: string) =>
    pid !== String(process.pid) &&
    (read(`/proc/${pid}/cmdline`) + read(`/proc/${pid}/environ`) + link(`/proc/${pid}/cwd`)).includes(folder)
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name) && isOurs(name))
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`)
}

export async function auditDatabase({ databaseUrl }: Cluster, findings: Findings): Promise<void> {
  const nothing: Record<string, string> = {
    'a submission is claimed': 'select id from submission where status = 2 or lease is not null',
    'a job runs': "select kind, key, tries, error from job where state = 'running' or lease is not null",
    'a job was given up': "select kind, key, tries, error from job where state = 'dead'",
    'a push is open': "select id, repository_id, changes from push where state = 'receiving'",
    'a deletion is not done': 'select repository_id from repository_deletion',
    'a backup holds': 'select id from backup_hold',
    'an upload is left': 'select id from test_upload',
    'a lock is held': "select classid, objid from pg_locks where locktype = 'advisory'",
    'someone is connected':
      'select application_name, state, query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  }
  await withDatabase(databaseUrl, async (database) => {
    for (const [what, query] of Object.entries(nothing)) {
      const ask = async () => (await database.query(query)).rows
      // PostgreSQL may see a moment later that a client has left.
      const isNothing = await until(async () => (await ask()).length === 0, 100).catch(() => false)
      if (isNothing === false) findings.push(`${what}: ${JSON.stringify(await ask())}`)
    }
  })
}

/** `pids`: of all processes that were ever started. */
export function auditFiles(cluster: Cluster, findings: Findings): void {
  const { dataFolder, stateFolder } = cluster
  const repositories = join(dataFolder, 'repositories')
  for (const folder of [join(dataFolder, 'temporary'), join(repositories, 'coming'), join(repositories, 'deleted')]) {
    for (const name of namesIn(folder)) findings.push(`left: ${relative(dataFolder, join(folder, name))}`)
  }
  const all = readdirSync(repositories, { recursive: true, withFileTypes: true })
  for (const { name, parentPath } of all) {
    if (/\.lock$|^incoming-|^tmp_|^HEAD\./.test(name)) {
      findings.push(`left: ${relative(dataFolder, join(parentPath, name))}`)
    }
    // One whose making was never answered is kept, as all folders without a row are; it has nothing in it.
    if (/^[0-9a-f]{38}$/.test(name) && parentPath.includes('/aside/'))
      findings.push(`set aside with content: ${parentPath}`)
  }
  for (const family of namesIn(stateFolder)) {
    for (const name of namesIn(join(stateFolder, family))) findings.push(`left of an executor: ${name}`)
  }
  const pids = cluster.executors.flatMap((executor) => executor.pids)
  for (const group of listGroups()) {
    if (pids.some((pid) => group.includes(`-${pid}-`))) findings.push(`a cgroup is left: ${group}`)
  }
}

/** The executors' own groups of either version, wherever they could make them. */
function listGroups(): string[] {
  const tops = ['/sys/fs/cgroup', ...namesIn('/sys/fs/cgroup').map((name) => join('/sys/fs/cgroup', name))]
  const families = tops.map((top) => join(top, 'guildhall-boxes'))
  // The folder of each has a group with its owner's mark.
  const folders = families.flatMap((family) => namesIn(family).map((name) => join(family, name)))
  return folders.flatMap((folder) => namesIn(folder).map((name) => join(folder, name)))
}

async function withDatabase(url: string, act: (database: pg.Client) => Promise<void>): Promise<void> {
  const database = new pg.Client(url)
  await database.connect()
  try {
    await act(database)
  } finally {
    await database.end()
  }
}

/** What is gone between the list and the look is nothing. */
function quietly<T>(act: () => T, otherwise: T): T {
  try {
    return act()
  } catch {
    return otherwise
  }
}

const namesIn = (folder: string): string[] => quietly(() => readdirSync(folder), [])
const read = (path: string): string => quietly(() => readFileSync(path, 'utf8'), '')
const link = (path: string): string => quietly(() => readlinkSync(path), '')
