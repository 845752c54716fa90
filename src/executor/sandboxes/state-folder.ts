/** The executor's own folder for files and pipes, with random names, inaccessible to other users. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  fchmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isOwnerAlive } from './owner.ts'
import { makePipeReserve } from './pipe-reserve.ts'
import { type KeptFile, type KeptWriter, SandboxFailure } from './sandbox.ts'
import { markPages, markPagesSlowly } from './views/page-marks.ts'

export type StateFolder = {
  readonly path: string
  /** For what all boxes see and for files that come and go with every run: in memory if possible. */
  readonly fleetingPath: string
  keep(bytes: Uint8Array): Promise<KeptFile>
  open(): KeptWriter
  /** Returns a new named pipe that is given to nobody else. */
  takePipe(): string
  remove(): void
}

/** A box's user must be able to read and run its files, whatever umask the executor was started with. */
const shown = 0o555

/**
 * A file system in memory. On a disk, creating a pipe takes half a millisecond of processor time, and more if many were
 * just removed. An ordinary user's files in it may be removed when they sign out.
 */
const memory = '/dev/shm'
const memoryMagic = 0x01021994

export function makeStateFolder(owner: string, parent = tmpdir()): StateFolder {
  // Boxes see these names among their mounts: they must not reveal who created them, when, or how many there were
  // before.
  const name = generateName()
  const path = makeOwnFolder(parent, name, owner)
  const fleetingPath = (process.getuid?.() === 0 && makeMemoryFolder(name, owner)) || path
  const generatePath = () => join(path, `kept-${generateName()}`)
  const pipes = makePipeReserve(fleetingPath)

  return {
    path,
    fleetingPath,
    async keep(bytes) {
      const at = generatePath()
      try {
        await writeFile(at, bytes, { flag: 'wx' })
        chmodSync(at, shown)
      } catch (error) {
        // On a full disk a partial file exists, which nobody else would remove.
        dropFile(at)
        throw error
      }
      return presentFile(at, bytes.length, generatePath)
    },
    open: () => openWriter(generatePath),
    takePipe: pipes.take,
    remove() {
      pipes.close()
      // Retries, because pipes may be created meanwhile.
      for (const folder of [path, fleetingPath]) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

const generateName = (): string => randomBytes(12).toString('hex')

function makeOwnFolder(parent: string, name: string, owner: string): string {
  const family = resolve(parent, `guildhall-executor-${process.getuid?.() ?? 0}`)
  mkdirSync(family, { recursive: true, mode: 0o700 })
  demandOurs(family)
  sweep(family)
  const path = join(family, name)
  // Shares the folder in memory if that is the parent.
  if (existsSync(path)) return path
  const begun = join(family, owner)
  mkdirSync(begun, { mode: 0o700 })
  writeFileSync(join(begun, ownerFile), owner)
  // Until it is complete, its name states the owner; afterwards a file in it does.
  renameSync(begun, path)
  return path
}

const ownerFile = 'owner'

function readOwner(family: string, name: string): string {
  try {
    return readFileSync(join(family, name, ownerFile), 'utf8')
  } catch {
    return name
  }
}

function makeMemoryFolder(name: string, owner: string): string | null {
  try {
    return statfsSync(memory).type === memoryMagic ? makeOwnFolder(memory, name, owner) : null
  } catch {
    return null
  }
}

/**
 * Writes the /etc of a box: a user unknown to the host, the linker's cache, and mount points for toolchains. It is in
 * memory: a disk's file system remembers the names that were looked up in vain, and a later box finds them sooner.
 */
export function writeBoxEtc(state: StateFolder, folders: readonly string[], users: readonly number[]): string {
  const etc = join(state.fleetingPath, 'etc')
  mkdirSync(etc)
  const lines = (form: (id: number) => string) => `${users.map(form).join('\n')}\n`
  writeFileSync(
    join(etc, 'passwd'),
    lines((id) => `box:x:${id}:${id}::/box:/bin/sh`),
  )
  writeFileSync(
    join(etc, 'group'),
    lines((id) => `box:x:${id}:`),
  )
  writeFileSync(join(etc, 'hosts'), '127.0.0.1 localhost\n')
  for (const name of ['ld.so.cache', 'alternatives']) {
    const from = join('/etc', name)
    if (existsSync(from)) cpSync(from, join(etc, name), { recursive: true, verbatimSymlinks: true })
  }
  for (const folder of folders) {
    if (folder.startsWith('/etc/')) mkdirSync(join(etc, folder.slice('/etc/'.length)), { recursive: true })
  }
  execFileSync('chmod', ['-R', 'a+rX', etc])
  return etc
}

function presentFile(path: string, size: number, generatePath: () => string): KeptFile {
  return {
    path,
    size,
    drop: () => dropFile(path),
    again() {
      const other = generatePath()
      linkSync(path, other)
      return presentFile(other, size, generatePath)
    },
  }
}

/** Read in a millisecond or two. */
const quickBytes = 4 << 20

function openWriter(generatePath: () => string): KeptWriter {
  const at = generatePath()
  const descriptor = openSync(at, 'wx')
  fchmodSync(descriptor, shown)
  let size = 0
  const finish = () => {
    closeSync(descriptor)
    return presentFile(at, size, generatePath)
  }
  return {
    path: at,
    write(chunk) {
      for (let done = 0; done < chunk.length; ) done += writeSync(descriptor, chunk, done)
      size += chunk.length
    },
    finish,
    async finishShared() {
      if (size > quickBytes) await markPagesSlowly(at)
      else markPages(at)
      return finish()
    },
    drop() {
      closeSync(descriptor)
      dropFile(at)
    },
  }
}

function dropFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** In a folder writable by everyone, another user may have created this one. */
function demandOurs(folder: string): void {
  const found = lstatSync(folder)
  if (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0) return
  throw new SandboxFailure(`${folder} is not this user's own closed folder; remove it or set another folder.`)
}

function sweep(family: string): void {
  for (const name of readdirSync(family)) {
    if (!isOwnerAlive(readOwner(family, name))) rmSync(join(family, name), { recursive: true, force: true })
  }
}
