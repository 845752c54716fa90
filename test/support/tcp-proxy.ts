/** A network of ours between a server and PostgreSQL: it can fall silent, be slow, be cut, and come back. */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type TcpProxy = {
  readonly port: number
  /** How many connections it has taken since it was started. */
  taken(): number
  /** How many are open now. */
  open(): number
  /**
   * Nothing arrives on either side any more, and nobody is told: what is sent is kept, as TCP would send it again. New
   * connections are taken and hear nothing either.
   */
  pause(): void
  /** All that is sent takes so much longer, each way. */
  delay(ms: number): void
  /** New connections are taken and hear nothing; those that are there go on. */
  ignoreNew(): void
  /** Ends all connections that are open; new ones are taken. */
  cut(): void
  /** Ends all and takes no new ones, as a server that is stopped. */
  refuse(): Promise<void>
  /** As in the beginning, on the same port; what was kept is delivered. */
  resume(): Promise<void>
  close(): Promise<void>
}

/** Every connection, both ways, goes through one of these. */
type Link = { readonly ends: readonly [Socket, Socket] }

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const links = new Set<Link>()
  let count = 0
  let delayMs = 0
  let isIgnoring = false
  const ignored = new Set<Socket>()
  let flowing = Promise.withResolvers<void>()
  flowing.resolve()

  /** One piece after the other, so that none overtakes another; who sends faster than it flows has to wait. */
  async function carry(from: Socket, to: Socket): Promise<void> {
    for await (const piece of from) {
      if (delayMs > 0) await sleep(delayMs)
      await flowing.promise
      if (!to.write(piece)) await Promise.race([once(to, 'drain'), once(to, 'close')])
    }
    await flowing.promise
    to.end()
  }

  function link(near: Socket): void {
    count++
    if (isIgnoring) {
      ignored.add(near)
      near.on('error', () => {})
      return
    }
    const far = connect(target)
    const made: Link = { ends: [near, far] }
    links.add(made)
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      end.setNoDelay(true)
      end.on('error', () => {})
      end.on('close', () => {
        links.delete(made)
        other.destroy()
      })
      carry(end, other).catch(() => end.destroy())
    }
  }

  const cut = () => {
    for (const { ends } of links) for (const end of ends) end.resetAndDestroy()
    for (const socket of ignored) socket.destroy()
    ignored.clear()
  }

  let server = await listen(0, link)
  const { port } = server.address() as { port: number }
  return {
    port,
    taken: () => count,
    open: () => links.size,
    pause: () => {
      flowing = Promise.withResolvers<void>()
    },
    delay: (ms) => {
      delayMs = ms
    },
    ignoreNew: () => {
      isIgnoring = true
    },
    cut,
    async refuse() {
      await stop(server, cut)
    },
    async resume() {
      delayMs = 0
      isIgnoring = false
      flowing.resolve()
      if (!server.listening) server = await listen(port, link)
    },
    async close() {
      flowing.resolve()
      await stop(server, cut)
    },
  }
}

/** The address of a database, by way of the proxy. */
export function viaProxy(url: string, { port }: TcpProxy): string {
  const proxied = new URL(url)
  proxied.hostname = '127.0.0.1'
  proxied.port = String(port)
  return proxied.href
}

export const targetOf = (url: string): { host: string; port: number } => {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port || 5432) }
}

async function listen(port: number, onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onConnection)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function stop(server: Server, cut: () => void): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  cut()
  await closed
}
