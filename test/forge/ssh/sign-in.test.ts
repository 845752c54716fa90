/** Who signs in over SSH and who does not, and what of SSH is served beside git: nothing. */
import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import ssh2 from 'ssh2'
import { parseCommand } from '../../../src/api/git/ssh/command.ts'
import { generateHostKey } from '../../../src/api/git/ssh/host-key-generation.ts'
import { engines, makeMigratedDatabase } from '../../support/engines.ts'
import { asAdmin } from '../../support/rest.ts'
import { type ConnectOptions, connectSsh, execSsh, type KeyPair } from '../../support/ssh.ts'
import { until } from '../../support/until.ts'
import { outcomeOf, readOver, type SshTestServer, startSshServer } from './ssh-server.ts'

/** Whether it signs in; the connection is ended. */
const signsIn = (port: number, options: ConnectOptions): Promise<boolean> =>
  connectSsh(port, options).then(
    (connection) => {
      connection.end()
      return true
    },
    () => false,
  )

/** What the server says as it disconnects. */
async function reasonOf(port: number, { privateKey }: KeyPair): Promise<string> {
  const client = new ssh2.Client()
  client.on('error', () => {})
  client.connect({ host: '127.0.0.1', port, username: 'git', privateKey })
  const inside = client as unknown as { _protocol: { _handlers: Record<string, unknown> } }
  return new Promise((resolve) => {
    inside._protocol._handlers.DISCONNECT = (_protocol: unknown, _code: number, reason: string) => resolve(reason)
    client.once('close', () => resolve(''))
  })
}

/** Says that it is the one, and signs with the other. */
function forge({ bare }: KeyPair, { privateKey }: KeyPair): ssh2.ParsedKey {
  const forged = ssh2.utils.parseKey(privateKey)
  if (forged instanceof Error) throw forged
  forged.getPublicSSH = () => Buffer.from(bare.split(' ')[1]!, 'base64')
  return forged
}

async function hostKeyOf(port: number): Promise<string> {
  let seen = ''
  const hostVerifier = (key: Buffer) => {
    seen = key.toString('base64')
    return true
  }
  await signsIn(port, { hostVerifier, algorithms: { serverHostKey: ['ssh-ed25519'] } })
  return seen
}

describe('a client of SSH', () => {
  let hosted: SshTestServer
  let key: KeyPair
  before(async () => {
    hosted = await startSshServer()
    await hosted.start('tool')
    key = await hosted.keyOf(hosted.ann)
  })
  after(() => hosted.stop())

  const lockouts = async () => (await asAdmin(hosted.server).get('/admin/lockouts')).body
  const lift = async () => {
    for (const { key: one } of await lockouts())
      await asAdmin(hosted.server).delete(`/admin/lockouts/${encodeURIComponent(one)}`)
  }

  test('signs in by every usual kind of key, as git and as nobody else, by keys alone', async () => {
    const { port, ann, ring } = hosted
    for (const kind of ['ed25519', 'ecdsa', 'rsa'] as const) {
      const pair = await ring.make(kind, kind)
      await ann.post('/user/keys', { key: pair.line })
      assert.equal(await signsIn(port, { key: pair.privateKey }), true, kind)
    }
    assert.equal(await signsIn(port, { key: key.privateKey, username: 'root' }), false)
    assert.equal(await signsIn(port, { password: 'ann-password' }), false)
    assert.equal(await signsIn(port, { username: 'admin', password: 'admin-password', tryKeyboard: true }), false)
    await lift()
  })

  test('is greeted where it asks for a shell, and is given none', async () => {
    const connection = await hosted.connect(key)
    const said = await new Promise<{ code: number; text: string }>((resolve, reject) =>
      connection.shell(false, (error, channel) => {
        if (error) return reject(error)
        let text = ''
        let code = -1
        channel.stderr.on('data', (chunk: Buffer) => (text += chunk))
        channel.on('exit', (given: number) => (code = given))
        channel.on('close', () => resolve({ code, text }))
        channel.resume()
      }),
    )
    assert.deepEqual(said, {
      code: 1,
      text: "Hi ann! You've successfully authenticated, but Guildhall does not provide shell access.\n",
    })
    connection.end()
  })

  test('is refused terminals, subsystems, agents, screens and every kind of forwarding', async () => {
    const connection = await hosted.connect(key)
    type Done = (error?: Error | null) => void
    const acts: [string, (done: Done) => unknown][] = [
      ['a terminal', (done) => connection.exec("git-upload-pack 'ann/tool.git'", { pty: true }, done)],
      ['a screen', (done) => connection.exec("git-upload-pack 'ann/tool.git'", { x11: true }, done)],
      ['a subsystem', (done) => connection.subsys('sftp', done)],
      ['files', (done) => connection.sftp(done)],
      ['a way out', (done) => connection.forwardOut('127.0.0.1', 1, '127.0.0.1', 22, done)],
      ['a way in', (done) => connection.forwardIn('127.0.0.1', 0, done)],
      ['a socket out', (done) => connection.openssh_forwardOutStreamLocal('/tmp/socket', done)],
      ['a socket in', (done) => connection.openssh_forwardInStreamLocal('/tmp/socket', done)],
    ]
    for (const [what, act] of acts) {
      const error = await new Promise<Error | null | undefined>((resolve) => act((found) => resolve(found)))
      assert.ok(error instanceof Error, what)
    }
    assert.equal(outcomeOf(await readOver(connection, 'ann/tool')), 'open', 'the connection goes on')
    connection.end()
  })

  test('sets nothing in what is run', async () => {
    const connection = await hosted.connect(key)
    const trace = join(hosted.server.database.folder, 'traced')
    const env = { GIT_TRACE: trace, GIT_DIR: '/tmp', PATH: '/nowhere', LD_PRELOAD: '/tmp/x.so', GIT_PROTOCOL: '$(id)' }
    const answer = await execSsh(connection, "git-upload-pack 'ann/tool.git'", { env, input: '0000' })
    assert.equal(outcomeOf(answer), 'open')
    await assert.rejects(stat(trace))
    connection.end()
  })

  test('has ten channels of a connection at a time', async () => {
    const connection = await hosted.connect(key)
    const open = () =>
      new Promise<ssh2.ClientChannel>((resolve, reject) =>
        connection.exec("git-upload-pack 'ann/tool.git'", (error, channel) =>
          error ? reject(error) : resolve(channel),
        ),
      )
    const channels = await Promise.all(Array.from({ length: 10 }, open))
    await assert.rejects(open())
    for (const channel of channels) channel.end('0000').resume()
    await until(async () =>
      open().then(
        (channel) => channel.end('0000').resume(),
        () => false,
      ),
    )
    connection.end()
  })

  test('that offers wrong keys again and again is locked out of SSH with its address, until an admin lets it in', async () => {
    const { port, ring } = hosted
    const stranger = await ring.make()
    const localAddress = '127.0.0.1'
    assert.equal(await signsIn(port, { key: key.privateKey, localAddress }), true)
    for (let i = 0; i < 10; i++) assert.equal(await signsIn(port, { key: stranger.privateKey, localAddress }), false)
    await until(async () =>
      (await lockouts()).some((one: { key: string }) => one.key === `credential:ssh:${localAddress}`),
    )
    assert.equal(await reasonOf(port, key), 'Maximum number of login attempts exceeded. Please try again later.')
    assert.equal(await signsIn(port, { key: key.privateKey, localAddress: '127.0.0.3' }), true, 'from elsewhere')
    assert.equal((await hosted.ann.get('/user')).status, 200, 'tokens are not locked out')
    await lift()
    assert.equal(await signsIn(port, { key: key.privateKey, localAddress }), true)
  })

  test('that knows a key and does not hold it is refused, and counted', async () => {
    const { port, ring, ann } = hosted
    const [known, other] = [await hosted.keyOf(ann), await ring.make()]
    const authHandler = [
      { type: 'publickey', username: 'git', key: forge(known, other) },
    ] as unknown as ssh2.AuthHandlerMiddleware
    for (let i = 0; i < 10; i++) assert.equal(await signsIn(port, { authHandler, localAddress: '127.0.0.4' }), false)
    await until(async () => (await lockouts()).length > 0)
    const found = (await ann.get('/user/keys')).body.find((one: { key: string }) => one.key === known.bare)
    assert.equal(found.last_used, null)
    await lift()
  })
})

test('a command is one of three, with the path of a repository, quoted as git quotes it', () => {
  const git = (service: string, owner: string, repo: string) => ({ kind: 'git', service, address: { owner, repo } })
  const table: [string, unknown][] = [
    ["git-upload-pack '/ann/tool.git'", git('upload-pack', 'ann', 'tool.git')],
    ["git-receive-pack 'ann/tool'", git('receive-pack', 'ann', 'tool')],
    ["git upload-pack 'ann/tool.git/'", git('upload-pack', 'ann', 'tool.git')],
    ['git-upload-pack ann/tool', git('upload-pack', 'ann', 'tool')],
    ["git-upload-pack 'ann/it'\\''s.git'", git('upload-pack', 'ann', "it's.git")],
    [
      'git-lfs-authenticate ann/tool.git upload',
      { kind: 'lfs', operation: 'upload', address: { owner: 'ann', repo: 'tool.git' } },
    ],
    ...[
      ...['', ' ', 'ls', 'git', 'git-upload-pack', 'git-shell -c id', "git-upload-archive 'ann/tool'", 'scp -t /tmp'],
      ...["git-upload-pack 'ann/tool.git'; id", "git-upload-pack 'ann/tool.git' && id", 'git-upload-pack $(id)/x'],
      ...[
        "git-upload-pack 'ann/tool.git' --exec=id",
        "git-upload-pack --strict 'ann/tool.git'",
        'git-upload-pack `id`/x',
      ],
      ...[
        "git-upload-pack '/etc'",
        "git-upload-pack '../../etc/x'",
        "git-upload-pack 'a/b/c'",
        "git-upload-pack 'ann/a\nb'",
      ],
      ...[
        "git-upload-pack 'ann/a\0b'",
        "git-upload-pack 'ann/tool",
        "git-upload-pack  'ann/tool'",
        "GIT_DIR=/ git-upload-pack 'a/b'",
      ],
      ...[
        'git-lfs-authenticate ann/tool',
        'git-lfs-authenticate ann/tool delete',
        'git-lfs-authenticate a/b upload now',
      ],
      `git-upload-pack 'ann/${'x'.repeat(2000)}'`,
    ].map((text): [string, unknown] => [text, undefined]),
  ]
  for (const [text, expected] of table) assert.deepEqual(parseCommand(text), expected, JSON.stringify(text))
})

test('every host key drawn can be read, those too whose first byte is zero', () => {
  for (const kind of ['ed25519', 'ecdsa'] as const)
    for (let i = 0; i < 2_500; i++) assert.ok(!(ssh2.utils.parseKey(generateHostKey(kind)) instanceof Error), kind)
})

for (const engine of engines)
  test(`the host keys on ${engine} are kept with the data, for the server alone, and are the same after a start and on all servers`, async (t) => {
    const database = await makeMigratedDatabase(engine)
    t.after(() => database.drop())
    const first = await startSshServer(engine, { database })
    const key = await hostKeyOf(first.port)
    assert.notEqual(key, '')
    if (engine === 'postgres') {
      const other = await startSshServer(engine, { database })
      assert.equal(await hostKeyOf(other.port), key)
      const pair = await first.keyOf(first.ann)
      assert.equal(await signsIn(other.port, { key: pair.privateKey }), true, 'a key opens on all of them')
      await other.stop()
    }
    await first.stop()
    const folder = join(database.folder, 'ssh-host-keys')
    assert.equal((await stat(folder)).mode & 0o777, 0o700)
    assert.deepEqual(await readdir(folder), ['ecdsa', 'ed25519'])
    for (const name of await readdir(folder)) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600)
    const again = await startSshServer(engine, { database })
    assert.equal(await hostKeyOf(again.port), key)
    await again.stop()
  })
