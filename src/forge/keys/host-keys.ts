/** The server's own SSH keys: made once, kept in the data folder, and shared by all servers on it. */
import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Ed25519 for every client of the last ten years; ECDSA for clients that may not use it. */
const kinds = ['ed25519', 'ecdsa'] as const
export type HostKeyKind = (typeof kinds)[number]

/** Makes a private key in OpenSSH's format. */
export type MakeHostKey = (kind: HostKeyKind) => string

const folderName = 'ssh-host-keys'

export async function readHostKeys(dataFolder: string, make: MakeHostKey): Promise<string[]> {
  const folder = join(dataFolder, folderName)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return Promise.all(kinds.map((kind) => readOrMake(folder, kind, make)))
}

async function readOrMake(folder: string, kind: HostKeyKind, make: MakeHostKey): Promise<string> {
  const place = join(folder, kind)
  const known = await readFile(place, 'utf8').catch(ifMissing)
  if (known !== undefined) return known
  const draft = join(folder, `.draft-${randomUUID()}`)
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(make(kind))
    await file.sync()
    // If two servers start at once, one creates the key and the other takes it.
    await link(draft, place).catch(ifThere)
  } finally {
    await file.close()
    await unlink(draft)
  }
  await syncFolder(folder)
  return readFile(place, 'utf8')
}

async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r')
  await opened.sync().finally(() => opened.close())
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function ifThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
