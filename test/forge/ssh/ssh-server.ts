/** A server of git over SSH, with people and their keys. */
import assert from 'node:assert/strict'
import type ssh2 from 'ssh2'
import type { Engine } from '../../support/engines.ts'
import type { RestClient } from '../../support/rest.ts'
import type { ServerOptions } from '../../support/server.ts'
import {
  connectSsh,
  type ExecAnswer,
  execSsh,
  type KeyPair,
  type KeyRing,
  makeKeyRing,
  sshRemote,
} from '../../support/ssh.ts'
import { type GitServer, startGitServer } from '../git-server.ts'

export type SshTestServer = GitServer & {
  readonly port: number
  readonly ring: KeyRing
  /** A new key of this user. */
  keyOf(client: RestClient): Promise<KeyPair>
  /** A new key of this repository. */
  deployKey(client: RestClient, fullName: string, isReadOnly: boolean): Promise<KeyPair>
  remote(fullName: string): string
  connect(key: Pick<KeyPair, 'privateKey'>): Promise<ssh2.Client>
}

export async function startSshServer(engine: Engine = 'sqlite', options: ServerOptions = {}): Promise<SshTestServer> {
  const environment = { GUILDHALL_SSH_PORT: '0', ...options.environment }
  const hosted = await startGitServer(engine, { ...options, environment })
  const port = hosted.server.services.forge.ssh.port!
  const ring = await makeKeyRing()

  async function register(client: RestClient, path: string, more: object): Promise<KeyPair> {
    const pair = await ring.make()
    const { status, text } = await client.post(path, { title: 'laptop', key: pair.line, ...more })
    assert.equal(status, 201, text)
    return pair
  }

  return {
    ...hosted,
    port,
    ring,
    keyOf: (client) => register(client, '/user/keys', {}),
    deployKey: (client, fullName, isReadOnly) => register(client, `/repos/${fullName}/keys`, { read_only: isReadOnly }),
    remote: (fullName) => sshRemote(port, fullName),
    connect: ({ privateKey }) => connectSsh(port, { key: privateKey }),
    async stop() {
      await hosted.stop()
      await ring.drop()
    },
  }
}

const flush = '0000'

/** Asks for nothing, so that what is answered are the refs, or why not. */
export const readOver = (connection: ssh2.Client, fullName: string): Promise<ExecAnswer> =>
  execSsh(connection, `git-upload-pack '${fullName}.git'`, { input: flush })
export const pushOver = (connection: ssh2.Client, fullName: string): Promise<ExecAnswer> =>
  execSsh(connection, `git-receive-pack '${fullName}.git'`, { input: flush })

/** `open`, or the server's reason. */
export const outcomeOf = ({ code, out, err }: ExecAnswer): string =>
  code === 0 && err === '' && out.toString('latin1', 4, 44).match(/^[0-9a-f]{40}$/) ? 'open' : err.trim()
