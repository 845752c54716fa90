/** Packets that no client sends, at each step of a connection over SSH: before the keys are exchanged, before the sign-in and after it. */
import { connect } from 'node:net'
import ssh2 from 'ssh2'
import { type Random, randomOf } from '../../fuzz/random.ts'

type Target = { readonly port: number; readonly key: string }

/** The library's own, by which packets are made as wrong as they are wanted. */
type Inside = {
  _protocol: {
    _cipher: { encrypt(packet: Buffer): void }
    _packetRW: { write: { allocStart: number; alloc(size: number): Buffer; finalize(packet: Buffer): Buffer } }
  }
}

/** Numbers at the edges of what a length can say. */
const edges = [0, 1, 2, 4, 255, 32_768, 35_000, 262_144, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]
const number = (random: Random): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(random.isChance(0.5) ? random.pick(edges) : random.below(2 ** 32))
  return bytes
}
const words = [
  ...['session', 'direct-tcpip', 'exec', 'shell', 'env', 'pty-req', 'subsystem', 'x11-req', 'window-change', 'signal'],
  ...['tcpip-forward', 'cancel-tcpip-forward', 'keepalive@openssh.com', 'auth-agent-req@openssh.com', 'exit-status'],
  ...['git', 'none', 'publickey', 'password', 'hostbased', 'ssh-userauth', 'ssh-connection', 'ssh-ed25519', 'ssh-rsa'],
  ...["git-upload-pack 'ann/tool.git'", "git-receive-pack 'ann/tool.git'", 'GIT_PROTOCOL', 'version=2', '__proto__'],
]
const string = (random: Random): Buffer => {
  const text = random.isChance(0.7) ? Buffer.from(random.pick(words)) : random.bytes(random.below(300))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(random.isChance(0.9) ? text.length : random.pick(edges))
  return Buffer.concat([length, text])
}
const fields = [
  string,
  string,
  number,
  (random: Random) => Buffer.from([random.below(2)]),
  (random: Random) => random.bytes(random.below(40)),
]

/** Every kind of message there is, and those that are none. */
const messages = [
  1, 2, 3, 4, 5, 6, 7, 20, 21, 30, 31, 50, 51, 52, 60, 61, 80, 81, 82, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100,
]

function makePayload(random: Random): Buffer {
  const type = random.isChance(0.9) ? random.pick(messages) : random.below(256)
  return Buffer.concat([Buffer.from([type]), ...random.some(fields, 8).map((make) => make(random))])
}

/** As before the keys are exchanged: length, padding, payload. */
function makePlainPacket(random: Random): Buffer {
  const payload = makePayload(random)
  const padding = random.isChance(0.8) ? 4 + ((8 - ((payload.length + 9) % 8)) % 8) : random.below(256)
  const head = Buffer.alloc(5)
  head.writeUInt32BE(random.isChance(0.8) ? payload.length + padding + 1 : random.pick(edges))
  head[4] = padding
  return Buffer.concat([head, payload, Buffer.alloc(padding)])
}

const openings = [
  'SSH-2.0-fuzz\r\n',
  'SSH-1.5-old\r\n',
  'SSH-2.0-',
  'GET / HTTP/1.1\r\n\r\n',
  '\r\n',
  '\0'.repeat(300),
  'SSH-2.0-x\n',
]

async function shootPlain(random: Random, { port }: Target): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await Promise.race([closed, new Promise((resolve) => socket.once('data', resolve))])
  socket.write(
    random.isChance(0.7)
      ? openings[0]!
      : random.isChance(0.5)
        ? random.pick(openings)
        : random.bytes(random.below(400)),
  )
  for (let i = random.below(6); i >= 0; i--) socket.write(makePlainPacket(random))
  socket.end()
  socket.resume()
  await closed
}

/** Signs in, and then goes wrong; or goes wrong in place of signing in. */
async function shootSealed(random: Random, { port, key }: Target): Promise<void> {
  const client = new ssh2.Client()
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
  client.on('error', () => {})
  const send = () => {
    const { _cipher: cipher, _packetRW: packets } = (client as unknown as Inside)._protocol
    for (let i = random.below(8); i >= 0; i--) {
      const payload = makePayload(random)
      const packet = packets.write.alloc(payload.length)
      payload.copy(packet, packets.write.allocStart)
      cipher.encrypt(packets.write.finalize(packet))
    }
    return false as const
  }
  client.on('ready', () => {
    if (random.isChance(0.5)) client.exec(`git-${random.pick(['upload', 'receive'])}-pack 'ann/tool.git'`, () => {})
    send()
    client.end()
  })
  const signIn = random.isChance(0.7) ? { privateKey: key } : { authHandler: send }
  client.connect({ host: '127.0.0.1', port, username: 'git', ...signIn })
  await closed
}

/** One connection that goes wrong; it is closed when this resolves. The same seed and index do the same again. */
export async function shootAtSsh(seed: number, index: number, target: Target): Promise<void> {
  const random = randomOf(seed, index)
  await (random.isChance(0.5) ? shootPlain(random, target) : shootSealed(random, target))
}
