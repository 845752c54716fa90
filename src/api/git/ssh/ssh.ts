/** Git over SSH, on a port of its own: keys instead of tokens, three commands, and no other feature of SSH. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import ssh2, { type Connection, type ServerChannel, type Session } from 'ssh2'
import type { SshPlace } from '../../../forge/keys/ssh-place.ts'
import { Failure, OperatorError } from '../../../lib/failure.ts'
import { explainOutage } from '../../../lib/outages/outage.ts'
import { type CommandStreams, makeCommandStreams } from './channel-streams.ts'
import { type CommandNeeds, makeCommands, type SshClient } from './commands.ts'
import { type Admitted, makeConnectionBounds, type SshBounds } from './connection-bounds.ts'
import { boundInput } from './input-bounds.ts'
import { makeInputScheduler } from './input-scheduler.ts'
import { forgetSession, packetBytesOf, refuseRequest, sendReason } from './library.ts'
import { makeSignIn } from './sign-in.ts'
import { makeSignInAttempts } from './sign-in-attempts.ts'

export type SshNeeds = Omit<CommandNeeds, 'signIn'> &
  Parameters<typeof makeSignIn>[0] & {
    readonly hostKeys: readonly string[]
    readonly bounds: SshBounds
    /** Its port is set once the server listens. */
    readonly place: SshPlace
    readonly idleMs: number
    /** The server's origin over HTTP, for a client that reached it at this local address. */
    readonly originAt: (localAddress: string) => string
  }

/** The same as OpenSSH's server. */
const maxChannels = 10
/**
 * Smaller packets would cost a turn of the event loop per byte; with size 0 the library loops forever. RFC 4253
 * requires 32 KiB.
 */
const minPacketBytes = 1024

/** Only elliptic curves: an exchange over large primes occupies the thread for tens of milliseconds. */
const algorithms: ssh2.Algorithms = {
  kex: [
    ...(['curve25519-sha256', 'curve25519-sha256@libssh.org'] as const),
    ...(['ecdh-sha2-nistp256', 'ecdh-sha2-nistp384', 'ecdh-sha2-nistp521'] as const),
  ],
  cipher: [
    ...(['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com'] as const),
    ...(['aes128-ctr', 'aes256-ctr'] as const),
  ],
  hmac: [
    ...(['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com'] as const),
    ...(['hmac-sha2-256', 'hmac-sha2-512'] as const),
  ],
  compress: ['none'],
}

export type SshServer = ReturnType<typeof makeSsh>

type Peer = { readonly socket: Socket; readonly admitted: Admitted; commands: number }

export function makeSsh(needs: SshNeeds) {
  const { log, idleMs, originAt } = needs
  const signIn = makeSignIn(needs)
  const commands = makeCommands({ ...needs, signIn })
  const bounds = makeConnectionBounds(needs.bounds)
  const pace = makeInputScheduler()
  const protocol = new ssh2.Server({ hostKeys: [...needs.hostKeys], algorithms, ident: 'Guildhall' })
  /** Keyed by the client's address and port: the library tells nothing else of a connection. */
  const peers = new Map<string, Peer>()
  let isStopping = false

  const server = createServer((socket) => {
    const admitted = isStopping ? void socket.destroy() : bounds.admit(socket)
    if (!admitted) return
    const key = keyOf(socket.remoteAddress, socket.remotePort)
    socket.on('error', () => socket.destroy())
    socket.setTimeout(idleMs, () => socket.destroy())
    socket.setNoDelay(true)
    peers.set(key, { socket, admitted, commands: 0 })
    socket.once('close', () => peers.delete(key))
    protocol.injectSocket(socket)
  })

  protocol.on('connection', (connection, { ip, port }) => {
    const peer = peers.get(keyOf(ip, port))
    if (peer) serve(connection, peer)
    else connection.end()
  })

  function serve(connection: Connection, peer: Peer): void {
    const { socket } = peer
    const address = socket.remoteAddress ?? ''
    const tries = makeSignInAttempts(signIn, address)
    let channels = 0
    const input = boundInput(connection, socket, pace)
    connection.on('error', (error) => log.debug({ err: error, address }, 'an SSH connection broke off'))
    connection.on('close', () => {
      tries.close().catch((error) => noteWrong(error, address))
    })
    connection.on('authentication', (context) => {
      tries.take(context).catch((error) => {
        if (error instanceof Failure) sendReason(connection, error.message)
        else log.error({ err: error }, 'a sign-in over SSH failed')
        connection.end()
        socket.destroySoon()
      })
    })
    connection.on('ready', () => {
      input.signedIn()
      peer.admitted.signedIn()
    })
    connection.on('session', (accept, reject) => {
      const { fingerprint } = tries
      if (channels >= maxChannels || isStopping || fingerprint === undefined) return void reject()
      const session = accept()
      if (packetBytesOf(session) < minPacketBytes) return void socket.destroy()
      channels++
      // The library emits it for each message that closes the session.
      session.once('close', () => channels--)
      const origin = originAt(socket.localAddress ?? '127.0.0.1')
      serveSession(connection, session, peer, { fingerprint, address, origin })
    })
  }

  /** Failures, such as too many attempts, are expected and not logged. */
  function noteWrong(error: unknown, address: string): void {
    if (!(explainOutage(error) instanceof Failure)) log.error({ err: error, address }, 'a wrong key was not counted')
  }

  /** The library refuses requests without a listener: terminals, subsystems, any forwarding. */
  function serveSession(connection: Connection, session: Session, peer: Peer, client: SshClient): void {
    let gitProtocol: string | undefined
    let hasBegun = false
    session.once('close', () => {
      if (!hasBegun) forgetSession(connection, session)
    })
    session.on('env', (accept, reject, { key, val }) => {
      if (key !== 'GIT_PROTOCOL' || !/^[a-z0-9=:.-]{1,100}$/i.test(val)) return void reject?.()
      gitProtocol = val
      accept?.()
    })
    const run = async (channel: ServerChannel, act: (streams: CommandStreams) => Promise<void>): Promise<void> => {
      const streams = makeCommandStreams(channel, peer.socket)
      peer.commands++
      try {
        await act(streams)
      } catch (error) {
        log.error({ err: error }, 'a command over SSH failed')
        streams.end(1)
      } finally {
        peer.commands--
      }
    }
    /** One command a session (RFC 4254, section 6.5). `reject` is absent if the client asks for no answer. */
    const begin = (accept: () => ServerChannel, reject: unknown, act: (streams: CommandStreams) => Promise<void>) => {
      if (!hasBegun) {
        hasBegun = true
        void run(accept(), act)
      } else if (reject) refuseRequest(connection, session)
    }
    session.on('exec', (accept, reject, { command }) =>
      begin(accept, reject, (streams) => commands.run(command, client, streams, gitProtocol)),
    )
    session.on('shell', (accept, reject) => begin(accept, reject, (streams) => greet(streams, client)))
  }

  async function greet(streams: CommandStreams, { fingerprint, address }: SshClient): Promise<void> {
    const found = await signIn.findHolder(fingerprint, address).catch(() => undefined)
    const name = found?.repository ?? found?.account.name
    const hello = `Hi ${name}! You've successfully authenticated, but Guildhall does not provide shell access.\n`
    streams.end(1, found ? hello : 'ERROR: This key opens nothing any more.\n')
  }

  const sweep = () => {
    for (const { socket, commands: running } of peers.values()) if (running === 0) socket.destroySoon()
  }

  return {
    async listen(port: number, host: string): Promise<void> {
      try {
        server.listen({ port, host })
        await once(server, 'listening')
      } catch (error) {
        throw new OperatorError(explainPort(error as NodeJS.ErrnoException, port, host))
      }
      server.on('error', (error) => log.error({ err: error }, 'the SSH server failed'))
      needs.place.port = (server.address() as AddressInfo).port
    },

    /** Open connections, and those of them that have not signed in yet. */
    get counts() {
      return { open: bounds.open, unknown: bounds.unknown }
    },

    /** Accepts no new connections. Existing ones end when their last command has finished, or after `patienceMs`. */
    async close(patienceMs: number): Promise<void> {
      isStopping = true
      if (!server.listening) return
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      sweep()
      const sweeping = setInterval(sweep, sweepMs)
      const cutting = setTimeout(() => {
        for (const { socket } of peers.values()) socket.destroy()
      }, patienceMs)
      await closed
      clearInterval(sweeping)
      clearTimeout(cutting)
    },
  }
}

const sweepMs = 50

const keyOf = (ip: string | undefined, port: number | undefined) => `${ip} ${port}`

const explainPort = ({ code, message }: NodeJS.ErrnoException, port: number, host: string): string =>
  code === 'EADDRINUSE'
    ? `Port ${port} is in use: stop what uses it, or set GUILDHALL_SSH_PORT to another.`
    : `The server can't listen for SSH on ${host}:${port}: ${message}. Check GUILDHALL_HOST and _SSH_PORT.`
