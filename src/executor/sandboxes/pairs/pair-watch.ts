/**
 * Watches two talking boxes: whether one has closed its output, and whether the program has sent too much. The pipes
 * join them directly, so both are found out by polling the processes.
 */
import type { WatchedBox } from '../boxes/box-watch.ts'
import { type FileIdentity, isHeldBelow, readTraffic, type Traffic } from './pair-processes.ts'

type Side = 'program' | 'partner'
type Sides<T> = Readonly<Record<Side, T>>

export type PairWatch = {
  look(): void
  readonly hasSentTooMuch: boolean
  end(): void
}

export type PairWatchNeeds = {
  readonly boxes: Sides<WatchedBox>
  /** The pipe that each writes to. */
  readonly pipes: Sides<FileIdentity>
  onClosed(side: Side): void
  readonly mostSentBytes: number
  /** Counts what the program sent after its partner had ended. */
  countUnread(): number
}

/** A poll takes some tenths of a millisecond, and most conversations end before the first. */
const lookMs = 25
/**
 * A partner that has read this multiple of the bound must have got it from the program: a process that ends unobserved
 * takes its figures with it. A test's files are far smaller.
 */
const surePart = 4

export function watchPair({ boxes, pipes, onClosed, mostSentBytes, countUnread }: PairWatchNeeds): PairWatch {
  const sides = ['program', 'partner'] as const
  const before: Partial<Record<Side, Traffic>> = {}
  const unseen: Record<Side, number> = { program: 0, partner: 0 }
  const isClosed = new Set<Side>()
  let isOver = false
  let hasSentTooMuch = false
  let timer: NodeJS.Timeout | undefined

  /** The highest figures observed per side. A reused box also has the traffic of earlier runs. */
  const most = { program: 0, partner: 0 }
  const countTraffic = (side: Side, kind: keyof Traffic): number => {
    const now = readTraffic(boxes[side].findFirst())
    if (now) most[side] = Math.max(most[side], now[kind] - (before[side]?.[kind] ?? 0))
    return most[side]
  }
  /**
   * Only the pipe is bounded. The program may have written elsewhere, and its partner may have read from elsewhere: at
   * most the smaller of the two went through the pipe.
   */
  const lookAtTraffic = () => {
    if (hasSentTooMuch) return
    const received = countTraffic('partner', 'read') + countUnread()
    const sent = countTraffic('program', 'written')
    if (received <= mostSentBytes || (sent <= mostSentBytes && received <= surePart * mostSentBytes)) return
    hasSentTooMuch = true
    boxes.program.stop('output')
  }
  /** Twice in a row, because a process that has just begun may be missed once. */
  const lookAtOutput = (side: Side) => {
    if (isClosed.has(side)) return
    unseen[side] = isHeldBelow(boxes[side].findFirst(), pipes[side]) ? 0 : unseen[side] + 1
    if (unseen[side] < 2) return
    isClosed.add(side)
    onClosed(side)
  }
  const plan = () => {
    timer = setTimeout(() => {
      lookAtTraffic()
      sides.forEach(lookAtOutput)
      if (!isOver) plan()
    }, lookMs)
  }
  void Promise.all(sides.map((side) => boxes[side].ready)).then(() => {
    if (!isOver) plan()
  })
  for (const side of sides) {
    const known = readTraffic(boxes[side].findFirst())
    if (known) before[side] = known
  }

  return {
    look: lookAtTraffic,
    get hasSentTooMuch() {
      return hasSentTooMuch
    },
    end() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
