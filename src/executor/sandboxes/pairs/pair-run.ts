/** Runs two talking boxes until both have ended. */
import { closeSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { StartedBox } from '../boxes/box-run.ts'
import type { BoxOutcome, BoxPair, PairOutcome } from '../sandbox.ts'
import { identify } from './pair-processes.ts'
import { watchPair } from './pair-watch.ts'
import type { PipePairs, SharedPipe } from './pipe-pairs.ts'

export type PairStart = {
  readonly pair: BoxPair
  /** Each starts its box, which reads from one pipe and writes to the other. */
  readonly program: JoinedStart
  readonly partner: JoinedStart
  readonly joints: PipePairs
}

export type JoinedStart = (from: SharedPipe, to: SharedPipe) => StartedBox

type Ended = Omit<BoxOutcome, 'ranConcurrently'>
type Side = 'program' | 'partner'

export async function runPair({ pair, joints, ...starts }: PairStart): Promise<{
  readonly program: Ended
  readonly partner: Ended
  readonly endedFirst: PairOutcome['endedFirst']
}> {
  const joint = joints.open()
  const { toPartner, toProgram } = joint
  /**
   * One write end of each pipe is held here until its owner has closed its own or has ended: otherwise a box could read
   * the other's end of output before its end is known, and it would be unclear which ended first.
   */
  const held = { program: holdWriteEnd(toPartner), partner: holdWriteEnd(toProgram) }
  const drains: Socket[] = []
  const begun: StartedBox[] = []
  let endedFirst: Side | null = null
  /** What the program sends after its partner has ended. */
  let unsent: Socket | undefined

  const begin = (start: JoinedStart, from: SharedPipe, to: SharedPipe): StartedBox => {
    const box = start(from, to)
    begun.push(box)
    return box
  }
  try {
    const program = begin(starts.program, toProgram, toPartner)
    const partner = begin(starts.partner, toPartner, toProgram)
    const watch = watchPair({
      boxes: { program: program.box, partner: partner.box },
      pipes: { program: identify(toPartner.path), partner: identify(toProgram.path) },
      onClosed: (side) => held[side].release(),
      mostSentBytes: pair.program.limits.outputBytes,
      countUnread: () => unsent?.bytesRead ?? 0,
    })
    /** When a box has ended, its input is drained, since a full pipe would block the other. */
    const settle = async (
      who: Side,
      { box }: StartedBox,
      other: StartedBox,
      unread: SharedPipe,
      react: (exitCode: number | null) => void,
    ): Promise<void> => {
      const exitCode = await box.over
      watch.look()
      endedFirst ??= who
      react(exitCode)
      const drained = unread.drain()
      drains.push(drained)
      if (who === 'partner') unsent = drained
      // Opening a pipe for reading waits for a writer.
      await other.box.ready
      held[who].release()
    }
    try {
      const [programOutcome, partnerOutcome] = await Promise.all([
        program.outcome,
        partner.outcome,
        // Both share one clock: if it stops the program, its partner reads an end of input that proves nothing.
        settle(
          'program',
          program,
          partner,
          toProgram,
          () => program.box.stopReason === 'wall' && partner.box.stop('wall'),
        ),
        settle('partner', partner, program, toPartner, (code) => pair.mayGoOn(code) || program.box.stop('abort')),
      ])
      // What it sent may be known only after its end.
      const stopped = watch.hasSentTooMuch ? 'output' : programOutcome.stopped
      return { program: { ...programOutcome, stopped }, partner: partnerOutcome, endedFirst: endedFirst! }
    } finally {
      watch.end()
    }
  } finally {
    for (const { box } of begun) box.stop('abort')
    await Promise.allSettled(begun.map(({ outcome }) => outcome))
    for (const stream of drains) stream.destroy()
    for (const end of Object.values(held)) end.release()
    joint.close()
  }
}

function holdWriteEnd(pipe: SharedPipe): { release(): void } {
  const descriptor = pipe.openWriteEnd()
  let isOpen = true
  return {
    release() {
      if (isOpen) closeSync(descriptor)
      isOpen = false
    },
  }
}
