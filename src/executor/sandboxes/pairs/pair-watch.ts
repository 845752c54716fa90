/**
 * Watches two boxes that talk: whether one has closed its output, and whether the program has sent more than it may. The pipes
 * join them directly, so both are told from the processes, by looking at them now and then.
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
  /** What each writes to. */
  readonly pipes: Sides<FileIdentity>
  onClosed(side: Side): void
  readonly mostSentBytes: number
  /** What the program sent after its partner had ended. */
  countUnread(): number
}

/** A look takes some tenths of a millisecond, and most talks are over before the first. */
const lookMs = 25
/**
 * A partner that has read so many times the bound has it from the program, whatever is known of that: a process that ends unseen
 * takes its figures with it. The files of a test are far smaller.
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

  /** The most that was seen of a side. A box that is kept has the traffic of earlier runs, too. */
  const most = { program: 0, partner: 0 }
  const countTraffic = (side: Side, kind: keyof Traffic): number => {
    const now = readTraffic(boxes[side].findFirst())
    if (now) most[side] = Math.max(most[side], now[kind] - (before[side]?.[kind] ?? 0))
    return most[side]
  }
  /**
   * Only the pipe is bounded. What the program wrote may have gone elsewhere, and what its partner read may have come from
   * elsewhere: no more went through the pipe than the less of the two.
   */
  const lookAtTraffic = () => {
    if (hasSentTooMuch) return
    const received = countTraffic('partner', 'read') + countUnread()
    const sent = countTraffic('program', 'written')
    if (received <= mostSentBytes || (sent <= mostSentBytes && received <= surePart * mostSentBytes)) return
    hasSentTooMuch = true
    boxes.program.stop('output')
  }
  /** Twice in a row: a process that has just begun may be missed once. */
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
