/** The limits of git processes: their number, and memory, processor time and output of each. */
import { availableParallelism } from 'node:os'
import type { SchedulerBounds } from '../../../lib/scheduling/fair-scheduler.ts'
import type { PackBounds } from '../pack/pack-inspection.ts'

/** The figures of GUILDHALL_GIT_LIMITS. */
export const defaultGitLimits = {
  /** Address space of a git that reads for the REST interface, in MiB. */
  readMemoryMib: 1024,
  /** Processor time, and time in all, of such a read. */
  readSeconds: 60,
  /** Of a git that clones, receives, packs or writes an archive. Its time in all depends on the client. */
  transferMemoryMib: 2048,
  transferSeconds: 600,
  /** Processor time and address space of a git that receives a push of a mebibyte at most. */
  pushSeconds: 20,
  pushMemoryMib: 1024,
  /** The largest object of a push that git must hold whole: any but a file, and what a delta makes. */
  pushObjectMib: 256,
  /** What the objects of a push come to: so much in any case, and so many bytes for each byte that is sent. */
  pushUnfoldMib: 512,
  pushUnfoldRatio: 1000,
  /** What an archive holds at most. */
  archiveMib: 4096,
  archiveFiles: 500_000,
  /** How many requests may wait for git, of one caller and in all. */
  queuePerCaller: 100,
  queue: 1000,
  /** A client that keeps git waiting for so long, and moves less than a kibibyte a second, is cut where others wait. */
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

/** Nobody has more than half, and a quarter is for those who have none: a few who dawdle do not keep the others out. */
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
