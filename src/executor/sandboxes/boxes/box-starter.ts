/**
 * Boxes are started by small helper processes: starting a program copies the page tables of the starting process, which
 * costs an executor as much as bubblewrap's own work. Each helper is a shell that runs one box at a time, waits for its
 * end, and is reused: a box sees the number of its session (`/proc/self/autogroup`), which counts the machine's earlier
 * sessions. So all are opened at startup, before any program runs, and each box gets any free one. The kernel kills
 * them with this process, and bubblewrap with them.
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { listChildren } from '../processes.ts'

/** A file to open as a descriptor of the box; the shell opens it by path. */
export type Opening = { readonly read: string } | { readonly write: string }

export type BoxOrder = {
  /** bubblewrap and its arguments. */
  readonly words: readonly string[]
  /** Descriptors from 0 on. Opening a named pipe must not block: this process has its other end open. */
  readonly descriptors: readonly Opening[]
}

export type OrderedBox = {
  /** Resolves when bubblewrap and the whole box have ended, with an error if that is unknown. */
  readonly ended: Promise<Error | undefined>
  /** bubblewrap's only child; null before it exists and after it has ended. */
  findFirst(): number | null
}

export type BoxStarter = {
  start(order: BoxOrder): OrderedBox
  close(): Promise<void>
}

type Shell = { run(order: BoxOrder): OrderedBox; end(): Promise<void> }

/**
 * `folder` is inaccessible to others: it holds the orders. Beyond `boxCount` boxes at a time, an additional shell is
 * opened for each.
 */
export function makeBoxStarter(setpriv: string, folder: string, boxCount = 0): BoxStarter {
  const shells = new Set<Shell>()
  const free: Shell[] = []
  let opened = 0
  let isClosed = false

  const forget = (shell: Shell) => {
    shells.delete(shell)
    if (free.includes(shell)) free.splice(free.indexOf(shell), 1)
  }
  const open = (): Shell => {
    const shell = openShell(setpriv, join(folder, `order-${opened++}`), {
      onFree: () => void free.push(shell),
      onEnd: () => forget(shell),
    })
    shells.add(shell)
    return shell
  }
  const end = (shell: Shell): Promise<void> => {
    forget(shell)
    return shell.end()
  }
  const takeFree = (): Shell | undefined => (free.length > 0 ? free.splice(randomInt(free.length), 1)[0] : undefined)
  const openOne = (): boolean => {
    const isMissing = !isClosed && opened < boxCount
    if (isMissing) free.push(open())
    return isMissing
  }
  /** One at a time, since each takes this process some milliseconds. */
  const openAhead = () => {
    if (openOne()) setImmediate(openAhead)
  }
  openAhead()
  return {
    start(order) {
      // The first box may be wanted before all are open.
      while (openOne());
      return (takeFree() ?? open()).run(order)
    },
    async close() {
      isClosed = true
      await Promise.all([...shells].map(end))
    },
  }
}

type ShellEvents = { onFree(): void; onEnd(): void }

/** A service manager stops all processes at once, but the executor decides when its boxes end. */
const beginning = 'trap : HUP INT TERM\n'

function openShell(setpriv: string, orderPath: string, { onFree, onEnd }: ShellEvents): Shell {
  const words = ['--pdeathsig', 'KILL', '/bin/sh']
  const child = spawn(setpriv, words, { detached: true, cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'inherit'] })
  const gone = Promise.withResolvers<void>()
  let ending: PromiseWithResolvers<Error | undefined> | null = null

  /** A running box keeps this process alive; without one it may end. */
  const hold = (isHeld: boolean) => {
    for (const each of [child, child.stdin as Socket, child.stdout as Socket]) {
      if (isHeld) each.ref()
      else each.unref()
    }
  }
  const settle = (error?: Error) => {
    const settled = ending
    ending = null
    settled?.resolve(error)
  }
  const abandon = () => {
    rmSync(orderPath, { force: true })
    onEnd()
    settle(new Error('The process that starts boxes has ended.'))
    gone.resolve()
  }
  const finish = (error?: Error) => {
    settle(error)
    hold(false)
    onFree()
  }
  // Its only output is that its box has ended.
  child.stdout.on('data', () => finish())
  child.stdin.on('error', () => undefined)
  child.on('error', abandon)
  child.on('exit', abandon)
  child.stdin.write(beginning)
  hold(false)

  return {
    run(order) {
      const own = Promise.withResolvers<Error | undefined>()
      ending = own
      hold(true)
      try {
        writeFileSync(orderPath, describeOrder(order), { mode: 0o600 })
        // Only this output proves that the order was read completely, and another can be written.
        child.stdin.write(`. ${quote(orderPath)}; echo ended\n`)
      } catch (error) {
        // No room for the order: treated like a box that has ended.
        setImmediate(() => finish(error as Error))
      }
      return {
        ended: own.promise,
        // The shell has not been waited for, so neither its pid nor those of its children can be reused.
        findFirst() {
          if (ending !== own || child.pid === undefined) return null
          const [bubblewrap] = listChildren(child.pid)
          return bubblewrap === undefined ? null : (listChildren(bubblewrap)[0] ?? null)
        },
      }
    },
    end() {
      child.ref()
      child.stdin.end()
      return gone.promise
    },
  }
}

function describeOrder({ words, descriptors }: BoxOrder): string {
  const openings = descriptors.map((opening, number) =>
    'read' in opening ? `${number}<${quote(opening.read)}` : `${number}>${quote(opening.write)}`,
  )
  return `${words.map(quote).join(' ')} ${openings.join(' ')}\n`
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`
