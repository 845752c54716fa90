/** Copies repositories as they were when the export began: hard links, with later pushes undone. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { linkFolder } from '../../store/files/linked-folder.ts'
import type { Db } from '../../store/schema/schema.ts'
import { filesAway } from '../failures.ts'
import { demandGit, runGit } from '../git/process/process.ts'
import type { RefChange } from '../git/push/ref-change.ts'
import { zeroId } from '../git/ref-name.ts'
import type { ExportedRepository } from './records/export-context.ts'

/** The parts of a bare repository; locks, logs and git's housekeeping files are left out. */
const kept = new Set(['HEAD', 'config', 'objects', 'packed-refs', 'refs'])

type Needs = {
  readonly folderOf: (repository: { readonly id: number }) => string
  /** The database in the export's snapshot, and the live one. */
  readonly snapshot: Db
  readonly live: Db
}

/** `folder` must not exist yet. */
export async function copyRepository(
  { folderOf, snapshot, live }: Needs,
  repository: ExportedRepository,
  folder: string,
): Promise<void> {
  if (!(await linkFolder(folderOf(repository), folder, (name) => kept.has(name)))) throw filesAway()
  await setBack(folder, await listLatePushes(snapshot, live, repository.id))
  const head = join(folder, 'HEAD')
  // The linked file is the repository's own: it must be replaced, never written to.
  await rm(head, { force: true })
  await writeFile(head, `ref: refs/heads/${repository.row.default_branch}\n`)
}

/**
 * Copies the wiki as it is now: its pushes are not recorded, and its refs fit its objects. Answers whether it exists.
 */
export const copyWiki = (from: string, folder: string): Promise<boolean> =>
  linkFolder(from, folder, (name) => kept.has(name))

/** Pushes not yet received in the snapshot, the newest first. */
async function listLatePushes(snapshot: Db, live: Db, repositoryId: number): Promise<RefChange[][]> {
  const known = await snapshot
    .selectFrom('push')
    .select((eb) => eb.fn.max<number | null>('id').as('last'))
    .where('repository_id', '=', repositoryId)
    .executeTakeFirstOrThrow()
  const open = await snapshot
    .selectFrom('push')
    .select('id')
    .where('repository_id', '=', repositoryId)
    .where('state', '=', 'receiving')
    .execute()
  const rows = await live
    .selectFrom('push')
    .select('changes')
    .where('repository_id', '=', repositoryId)
    .where((eb) => {
      const isLater = eb('id', '>', known.last ?? 0)
      return open.length === 0
        ? isLater
        : eb.or([
            isLater,
            eb(
              'id',
              'in',
              open.map(({ id }) => id),
            ),
          ])
    })
    .orderBy('id', 'desc')
    .execute()
  return rows.map(({ changes }) => JSON.parse(changes) as RefChange[])
}

/** Moves a ref back to its former commit if it stands where a late push put it. Each push is undone at most once. */
async function setBack(folder: string, pushes: readonly RefChange[][]): Promise<void> {
  const late = pushes.flat()
  if (late.length === 0) return
  const refs = await readRefs(folder)
  const before = new Map(refs)
  for (let isMoved = true; isMoved; ) {
    const found = late.findIndex(({ ref, after }) => (refs.get(ref) ?? zeroId) === after)
    isMoved = found >= 0
    if (!isMoved) break
    const [change] = late.splice(found, 1)
    if (change!.before === zeroId) refs.delete(change!.ref)
    else refs.set(change!.ref, change!.before)
  }
  const gone = [...before.keys()].filter((ref) => !refs.has(ref)).map((ref) => `delete ${ref}`)
  const moved = [...refs].filter(([ref, id]) => before.get(ref) !== id).map(([ref, id]) => `update ${ref} ${id}`)
  const lines = [...gone, ...moved]
  if (lines.length === 0) return
  // Git replaces ref files rather than writing to them: these are linked to the repository's own.
  await demandGit(['update-ref', '--no-deref', '--stdin'], { folder, input: `${lines.join('\n')}\n` })
}

async function readRefs(folder: string): Promise<Map<string, string>> {
  const { output } = await runGit(['for-each-ref', '--format=%(objectname) %(refname)'], { folder })
  const lines = output.toString('utf8').split('\n').filter(Boolean)
  return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]))
}
