/**
 * Boxes are started by small processes beside this one: whoever starts a program copies the tables of all its own memory,
 * which costs an executor as much as bubblewrap's own work. Each is a shell that runs one box at a time and waits for its
 * end; it is used again, and stays: a box sees the number of its session (`/proc/self/autogroup`), which tells how many the
 * machine had before. So all are opened at the start, before anybody's program runs, and each box has any of those that are
 * free. The kernel ends them with this process, and bubblewrap with them.
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { listChildren } from '../processes.ts'

/** What a descriptor of the box is opened from, by path: the shell opens it. */
export type Opening = { readonly read: string } | { readonly write: string }

export type BoxOrder = {
  /** bubblewrap and its arguments. */
  readonly words: readonly string[]
  /** From 0 on. To open a named pipe must not wait: this process has its other end open. */
  readonly descriptors: readonly Opening[]
}

export type OrderedBox = {
  /** Resolves when bubblewrap has ended and all of the box with it, with an error where nobody can say so. */
  readonly ended: Promise<Error | undefined>
  /** bubblewrap's only child; null where it is not there yet, or no longer. */
  findFirst(): number | null
}

export type BoxStarter = {
  start(order: BoxOrder): OrderedBox
  close(): Promise<void>
}

type Shell = { run(order: BoxOrder): OrderedBox; end(): Promise<void> }

/** `folder` is closed to others: orders lie there. Beyond `boxCount` boxes at a time, another shell is opened for each. */
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
  /** One at a time, since each takes this process some milliseconds. */
  const openAhead = () => {
    if (isClosed || shells.size >= boxCount) return
    free.push(open())
    setImmediate(openAhead)
  }
  openAhead()
  return {
    start(order) {
      return (takeFree() ?? open()).run(order)
    },
    async close() {
      isClosed = true
      await Promise.all([...shells].map(end))
    },
  }
}

type ShellEvents = { onFree(): void; onEnd(): void }

/** A stop is told to a whole service at once, and it is the executor that decides when its boxes end. */
const beginning = 'trap : HUP INT TERM\n'

function openShell(setpriv: string, orderPath: string, { onFree, onEnd }: ShellEvents): Shell {
  const words = ['--pdeathsig', 'KILL', '/bin/sh']
  const child = spawn(setpriv, words, { detached: true, cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'inherit'] })
  const gone = Promise.withResolvers<void>()
  let ending: PromiseWithResolvers<Error | undefined> | null = null

  /** This process is kept while there is a box, and may end while there is none. */
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
  // All that it ever says is that its box has ended.
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
        // Only when it tells has it read the order to its end, and another can be written there.
        child.stdin.write(`. ${quote(orderPath)}; echo ended\n`)
      } catch (error) {
        // There is no room for it: its box has ended, as any other does.
        setImmediate(() => finish(error as Error))
      }
      return {
        ended: own.promise,
        // The shell was not waited for yet, so neither its number nor those below can be another's.
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
