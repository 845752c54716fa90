/** Clients of git over SSH: keys, the machine's own `ssh` for git where there is one, and the protocol's library for what git never sends. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import ssh2 from 'ssh2'

export type KeyPair = {
  /** The one line of a .pub file, with a comment. */
  readonly line: string
  /** The same without its comment, as it is kept. */
  readonly bare: string
  readonly privateKey: string
  /** Where the private key lies. */
  readonly file: string
}

type KeyKind = 'ed25519' | 'ecdsa' | 'rsa'

export type KeyRing = {
  make(comment?: string, kind?: KeyKind): Promise<KeyPair>
  drop(): Promise<void>
}

/** Draws until the library can read what it drew: it cuts leading zeros off ed25519 keys. */
export const drawKeyPair = (kind: KeyKind, comment: string): ReturnType<typeof draw> => {
  const pair = draw(kind, comment)
  return ssh2.utils.parseKey(pair.private) instanceof Error ? drawKeyPair(kind, comment) : pair
}

const draw = (kind: KeyKind, comment: string) => {
  if (kind === 'ed25519') return ssh2.utils.generateKeyPairSync('ed25519', { comment })
  if (kind === 'ecdsa') return ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256, comment })
  return ssh2.utils.generateKeyPairSync('rsa', { bits: 2048, comment })
}

let count = 0

export async function makeKeyRing(): Promise<KeyRing> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-keys-'))
  return {
    async make(comment = `key ${++count}`, kind = 'ed25519') {
      const pair = drawKeyPair(kind, comment)
      const file = join(folder, `${++count}`)
      await writeFile(file, pair.private, { mode: 0o600 })
      const bare = pair.public.split(' ', 2).join(' ')
      return { line: `${bare} ${comment}`, bare, privateKey: pair.private, file }
    },
    drop: () => rm(folder, { recursive: true, force: true }),
  }
}

const isOnPath = (name: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, name)))

const ownClient = `${process.execPath} ${join(import.meta.dirname, 'ssh-client.mjs')}`
const systemClient = 'ssh -F /dev/null -o IdentitiesOnly=yes -o IdentityAgent=none -o BatchMode=yes -o LogLevel=ERROR'
const client = isOnPath('ssh') ? systemClient : ownClient

/** Words before git's command, so that it comes by this key: with the machine's `ssh`, or with a small client of ours. */
export const bySsh = ({ file }: Pick<KeyPair, 'file'>, isOwn = false): string[] => [
  '-c',
  `core.sshCommand=${isOwn ? ownClient : client} -i ${file} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null`,
  '-c',
  'ssh.variant=ssh',
]

export const sshRemote = (port: number, fullName: string): string => `ssh://git@127.0.0.1:${port}/${fullName}.git`

export type ConnectOptions = Omit<ssh2.ConnectConfig, 'privateKey' | 'port' | 'host'> & { readonly key?: string }

/** Resolves once it has signed in, fails where it is refused. The caller ends it. */
export function connectSsh(port: number, { key, ...options }: ConnectOptions): Promise<ssh2.Client> {
  const connection = new ssh2.Client()
  return new Promise((resolve, reject) => {
    connection.on('ready', () => resolve(connection))
    connection.on('error', reject)
    connection.on('close', () => reject(new Error('the server closed the connection')))
    connection.connect({
      host: '127.0.0.1',
      port,
      username: 'git',
      ...(key !== undefined && { privateKey: key }),
      ...options,
    })
  })
}

export type ExecAnswer = { readonly code: number | null; readonly out: Buffer; readonly err: string }

/** Runs one command on a connection, with this input and no more. */
export async function execSsh(
  connection: ssh2.Client,
  command: string,
  { input = '', ...options }: ssh2.ExecOptions & { readonly input?: string | Buffer } = {},
): Promise<ExecAnswer> {
  const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
    connection.exec(command, options, (error, opened) => (error ? reject(error) : resolve(opened))),
  )
  const ended = new Promise<number | null>((resolve) => {
    let code: number | null = null
    channel.on('exit', (given: number | null) => {
      code = given
    })
    channel.on('close', () => resolve(code))
  })
  channel.end(input)
  const [out, err, code] = await Promise.all([buffer(channel), text(channel.stderr), ended])
  return { code, out, err }
}
