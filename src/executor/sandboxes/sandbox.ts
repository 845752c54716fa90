/** The interface of the sandbox: runs one program in one box and measures it. Tests have a scripted implementation. */
import type { SlotOwner } from './slots/slot-lending.ts'
import type { View, ViewRequest } from './views/view.ts'

export type BoxLimits = {
  /** CPU time of all its processes; the box is stopped when it is used up. */
  readonly cpuMs: number
  readonly wallMs: number
  /** The part of it meant for waiting for the other of a pair. */
  readonly partnerMs?: number
  /** The box is stopped if for this long its processes hardly used or waited for a processor. */
  readonly idleMs?: number
  readonly memoryBytes: number
  readonly outputBytes: number
  /** The size of the private folder, and so of the largest file. */
  readonly folderBytes: number
  readonly processes: number
}

export type BoxProgram = {
  /** The program and its arguments; the first is an absolute path inside the box. */
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** The host's files that it sees. Without it: all system folders, and `folders`. */
  readonly view?: View | undefined
  /** The host's folders that its toolchain needs, mounted read-only under their own names. */
  readonly folders: readonly string[]
  /** Files of the executor, mounted read-only. Their names never come from a submission. */
  readonly files: readonly { readonly from: string; readonly at: string }[]
  /** Files of one test, found by name in /judge: other runs of the same program have others. */
  readonly testFiles?: readonly { readonly from: string; readonly name: string }[]
  /** Its box may be reused for runs with this key, the same program and the same limits. */
  readonly keptFor?: string
  /** Its box is new for this run, and not reused. */
  readonly isAnew?: boolean
  /** A file of the executor used as standard input; without one the input is empty. */
  readonly input?: string
  readonly limits: BoxLimits
  /** Called with the standard output as it arrives; with `collect` or `handOut`, with those bytes instead. */
  readonly onOutput: (chunk: Uint8Array) => void
  /** A file inside the box that is returned if the program succeeds; the program's own output then goes to stderr. */
  readonly collect?: string
  /**
   * Files that are returned however the program ended; its own output is then discarded, or in a pair goes to the
   * other.
   */
  readonly handOut?: HandOut
  readonly signal?: AbortSignal
}

/**
 * Plain files of a folder inside the box, created for the program to write to. The format: one line per file with its
 * size and name (if several, then with the sum of all), and one with `odd` and the name for anything that is no plain
 * file; then an empty line and the bytes of all files, each cut to the largest limit of any. With `archive` the whole
 * folder follows after that word, as a tar file. If the folder is empty, nothing may be sent at all.
 */
export type HandOut = {
  readonly folder: string
  readonly files: readonly { readonly name: string; readonly mostBytes: number }[]
  readonly archive: boolean
  /** The program creates the folder itself from an archive. */
  readonly isRestored?: boolean
}

export type StopReason = 'cpu' | 'wall' | 'idle' | 'memory' | 'output' | 'abort'

export type BoxOutcome = {
  /** Null if the program was ended by a signal, or stopped. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMemoryBytes: number
  /** The box reached its memory limit, and the kernel killed one of its processes. */
  readonly isOutOfMemory: boolean
  readonly outputBytes: number
  readonly stderr: Uint8Array
  readonly stopped: StopReason | null
  /** It hit the wall clock although one of its threads was ready for half of the time: others had the processors. */
  readonly wasHeldUp: boolean
  /** Another box ran at some time during this run. */
  readonly ranConcurrently: boolean
}

/** The owner of a run: authors get slots in turn, and the runs of one judging follow one another. */
export type RunOwner = {
  readonly author: SlotOwner
  readonly judging: symbol
  /** Its runs go after all others. */
  readonly isBehind?: boolean
}

export type RunOptions = {
  readonly owner?: RunOwner | undefined
  readonly isExclusive?: boolean
  /** Runs beside the slots, in one of two extra slots, with a quarter of a box's share of the processors. */
  readonly isSlow?: boolean | undefined
  /** A checker has another user than the programs of its slot. */
  readonly isChecker?: boolean | undefined
  /** Will probably run in the same slot afterwards: its box is made meanwhile. */
  readonly next?: BoxProgram | undefined
}

/**
 * Two programs that talk: the output of each is the input of the other. Neither is killed by a pipe that the other
 * broke, and one that reads an end of file knows that the other has ended.
 */
export type BoxPair = {
  readonly program: BoxProgram
  readonly partner: BoxProgram
  /** Whether the program may go on after the partner ended with this exit code; otherwise it is stopped. */
  mayGoOn(exitCode: number | null): boolean
}

export type PairOutcome = {
  readonly program: BoxOutcome
  readonly partner: BoxOutcome
  readonly endedFirst: 'program' | 'partner'
}

export type Sandbox = {
  readonly slotCount: number
  /** Waits for a free slot, or with `alone` until no other slot is in use. Throws only if the sandbox itself fails. */
  run(program: BoxProgram, options?: RunOptions): Promise<BoxOutcome>
  /**
   * Until the returned function is called, runs of this judging follow one another, and its slot is kept briefly
   * between two.
   */
  expectRuns(judging: symbol): () => void
  /** Runs both in one slot. */
  runPair(pair: BoxPair, options?: RunOptions): Promise<PairOutcome>
  /** Makes a view of these files, with their libraries and the programs that a box itself needs. */
  show(name: string, request: ViewRequest): Promise<View>
  /** Writes these bytes to a new file that can be mounted in a box. */
  keep(bytes: Uint8Array): Promise<KeptFile>
  /** Opens a new file that is filled as bytes arrive. */
  open(): KeptWriter
  close(): Promise<void>
}

export type KeptFile = {
  readonly path: string
  readonly size: number
  drop(): void
  /** A second name for the same bytes, which stays when this one is dropped. */
  again?(): KeptFile
}
export type KeptWriter = {
  /** Where the file is from the start. */
  readonly path: string
  write(chunk: Uint8Array): void
  finish(): KeptFile
  /** The same for a file that many runs read: all its pages get all marks of use, so that no reading changes one. */
  finishShared(): Promise<KeptFile>
  drop(): void
}

/** The sandbox failed. The program is never to blame for this, so it is never a verdict. */
export class SandboxFailure extends Error {
  override readonly name = 'SandboxFailure'
}
