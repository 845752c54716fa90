/** Runs two boxes that talk, from their start to the end of both. */
import { closeSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { StartedBox } from '../boxes/box-run.ts'
import type { BoxOutcome, BoxPair, PairOutcome } from '../sandbox.ts'
import type { Joint, Joints } from './joints.ts'

export type PairStart = {
  readonly pair: BoxPair
  /** Each starts its box, which reads from one joint and writes to the other. */
  readonly program: JoinedStart
  readonly partner: JoinedStart
  readonly joints: Joints
}

export type JoinedStart = (from: Joint, to: Joint) => StartedBox

type Ended = Omit<BoxOutcome, 'ranConcurrently'>

export async function runPair({ pair, joints, ...starts }: PairStart): Promise<{
  readonly program: Ended
  readonly partner: Ended
  readonly endedFirst: PairOutcome['endedFirst']
}> {
  const joint = joints.open()
  const { toPartner, toProgram } = joint
  // One write end of each pipe stays here until its owner has ended: nobody reads the end of a text before that is known.
  const held = { program: toPartner.openWriteEnd(), partner: toProgram.openWriteEnd() }
  const drains: Socket[] = []
  const begun: StartedBox[] = []
  let endedFirst: PairOutcome['endedFirst'] | null = null

  const begin = (start: JoinedStart, from: Joint, to: Joint): StartedBox => {
    const box = start(from, to)
    begun.push(box)
    return box
  }
  /** Once a box is over, what is meant for it is taken away, since a full pipe would hold up the other. */
  const settle = async (
    who: 'program' | 'partner',
    { box }: StartedBox,
    other: StartedBox,
    unread: Joint,
    react: (exitCode: number | null) => void,
  ): Promise<void> => {
    const exitCode = await box.over
    endedFirst ??= who
    react(exitCode)
    drains.push(unread.drain())
    // To open a pipe to read waits for a writer.
    await other.box.ready
    closeSync(held[who])
  }
  try {
    const program = begin(starts.program, toProgram, toPartner)
    const partner = begin(starts.partner, toPartner, toProgram)
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
    return { program: programOutcome, partner: partnerOutcome, endedFirst: endedFirst! }
  } finally {
    for (const { box } of begun) box.stop('abort')
    await Promise.allSettled(begun.map(({ outcome }) => outcome))
    for (const stream of drains) stream.destroy()
    if (begun.length < 2) for (const descriptor of Object.values(held)) closeSync(descriptor)
    joint.close()
  }
}
