/** Runs two boxes that talk, from their start to the end of both. */
import { closeSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { StartedBox } from '../boxes/box-run.ts'
import type { BoxOutcome, BoxPair, PairOutcome } from '../sandbox.ts'
import { identify } from './pair-processes.ts'
import { watchPair } from './pair-watch.ts'
import type { PipePairs, SharedPipe } from './pipe-pairs.ts'

export type PairStart = {
  readonly pair: BoxPair
  /** Each starts its box, which reads from one joint and writes to the other. */
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
   * One write end of each pipe stays here until its owner has closed its own or has ended: so nobody reads the end of a text
   * because the other has ended before that is known, and who ended first is sure.
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
    /** Once a box is over, what is meant for it is taken away, since a full pipe would hold up the other. */
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
      // To open a pipe to read waits for a writer.
      await other.box.ready
      held[who].release()
    }
    try {
      const [programOutcome, partnerOutcome] = await Promise.all([
        program.outcome,
        partner.outcome,
        // The clock is that of both: a partner that reads the end of the text then says nothing of the program.
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
