/** The limits of git processes: how many run, and the memory, processor time and output of each. */
import { availableParallelism } from 'node:os'
import type { SchedulerBounds } from '../../../lib/scheduling/fair-scheduler.ts'
import type { PackBounds } from '../pack/pack-inspection.ts'

/** The values of GUILDHALL_GIT_LIMITS. */
export const defaultGitLimits = {
  /** Address space of a git process that reads for the REST interface, in MiB. */
  readMemoryMib: 1024,
  /** Processor time of such a read, and also its wall time. */
  readSeconds: 60,
  /** For a git process that clones, receives, packs or writes an archive. Its wall time depends on the client. */
  transferMemoryMib: 2048,
  transferSeconds: 600,
  /** Processor time and address space of a git process that receives a push of at most one mebibyte. */
  pushSeconds: 20,
  pushMemoryMib: 1024,
  /** The largest object of a push that git must hold whole: any object but a file, and any result of a delta. */
  pushObjectMib: 256,
  /** The most that the objects of a push may unfold to: this, plus `pushUnfoldRatio` bytes for each byte sent. */
  pushUnfoldMib: 512,
  pushUnfoldRatio: 1000,
  /** The most that an archive may hold. */
  archiveMib: 4096,
  archiveFiles: 500_000,
  /** How many requests may wait for git: of one caller, and in all. */
  queuePerCaller: 100,
  queue: 1000,
  /** A client that blocks git for this long, at less than a kibibyte a second, is cut off if others wait. */
  stallSeconds: 10,
}

export type GitLimits = typeof defaultGitLimits

export type ProcessBounds = { readonly memoryMib: number; readonly cpuSeconds: number }

export const readBounds = ({ readMemoryMib, readSeconds }: GitLimits): ProcessBounds => ({
  memoryMib: readMemoryMib,
  cpuSeconds: readSeconds,
})

export const transferBounds = ({ transferMemoryMib, transferSeconds }: GitLimits): ProcessBounds => ({
  memoryMib: transferMemoryMib,
  cpuSeconds: transferSeconds,
})

export const pushBounds = (limits: GitLimits): ProcessBounds => ({
  memoryMib: Math.min(limits.pushMemoryMib, limits.transferMemoryMib),
  cpuSeconds: Math.min(limits.pushSeconds, limits.transferSeconds),
})

const mib = 1024 * 1024

export const packBounds = ({ pushObjectMib, pushUnfoldMib, pushUnfoldRatio }: GitLimits): PackBounds => ({
  objectBytes: pushObjectMib * mib,
  unfoldBytes: pushUnfoldMib * mib,
  unfoldRatio: pushUnfoldRatio,
})

/** A caller gets half of the slots at most; a quarter is kept for callers without one, so slow ones block nobody. */
export const slotsFor = ({ queuePerCaller, queue }: GitLimits, slotsPerCore: number): SchedulerBounds => {
  const slots = Math.max(2, availableParallelism() * slotsPerCore)
  return {
    slots,
    slotsPerCaller: Math.floor(slots / 2),
    reserve: Math.floor(slots / 4),
    queuePerCaller,
    queue,
    what: 'git',
  }
}
