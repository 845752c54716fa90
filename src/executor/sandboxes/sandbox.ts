/** The interface of the sandbox: runs one program in one box, and measures it. Tests have a scripted implementation. */
import type { SlotOwner } from './slots/slot-lending.ts'
import type { View, ViewRequest } from './views/view.ts'

export type BoxLimits = {
  /** CPU time of all its processes; the box is stopped once it is used up. */
  readonly cpuMs: number
  readonly wallMs: number
  /** So much of it is for the other of a pair, for which it waits. */
  readonly partnerMs?: number
  /** The box is stopped when its processes neither used nor waited for a processor for so long, but for a moment. */
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
  /** What it sees of the host's files. Absent: all of the system's folders, and `folders`. */
  readonly view?: View | undefined
  /** The host's folders that its toolchain needs, mounted read-only under their own names. */
  readonly folders: readonly string[]
  /** Files of the executor, mounted read-only. Their names never come from a submission. */
  readonly files: readonly { readonly from: string; readonly at: string }[]
  /** Files of one test, which are found by name in /judge: another run of the same program has others. */
  readonly testFiles?: readonly { readonly from: string; readonly name: string }[]
  /** For whose runs its box may be kept, beside the same program with the same limits. */
  readonly keptFor?: string
  /** Its box is made for this one run, and no other is ever there. */
  readonly isAnew?: boolean
  /** A file of the executor that is the standard input; without one the input is empty. */
  readonly input?: string
  readonly limits: BoxLimits
  /** Is called with the standard output as it arrives; with `collect` or `handOut`, with those bytes instead. */
  readonly onOutput: (chunk: Uint8Array) => void
  /** A file inside the box that is returned once the program has succeeded; the program's own output then goes to stderr. */
  readonly collect?: string
  /** Files that are returned however the program ended; its own output then goes nowhere, or of a pair to the other. */
  readonly handOut?: HandOut
  readonly signal?: AbortSignal
}

/**
 * Plain files of a folder inside the box, which is made for the program to write to. First a line for each, with its size and
 * its name (and of several with the sum of all), and for what is there and no plain file with `odd` and its name; then an
 * empty line and the bytes of all files, each cut to the most that any may have. With `archive` the whole folder follows,
 * after that word, as a tar file. Where there is nothing, nothing may leave at all.
 */
export type HandOut = {
  readonly folder: string
  readonly files: readonly { readonly name: string; readonly mostBytes: number }[]
  readonly archive: boolean
  /** The program makes the folder itself, out of an archive. */
  readonly isRestored?: boolean
}

export type StopReason = 'cpu' | 'wall' | 'idle' | 'memory' | 'output' | 'abort'

export type BoxOutcome = {
  /** Null when the program was ended by a signal, or stopped. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMemoryBytes: number
  /** The box reached its memory limit, and the kernel killed a process of it. */
  readonly isOutOfMemory: boolean
  readonly outputBytes: number
  readonly stderr: Uint8Array
  readonly stopped: StopReason | null
  /** It met the wall clock although one of its threads was ready to run for half of the time: others had the processors. */
  readonly wasHeldUp: boolean
  /** Another box ran during a part of this run. */
  readonly ranConcurrently: boolean
}

/** Whose run it is: authors have slots in turn, and the runs of one judging follow one another. */
export type RunOwner = {
  readonly author: SlotOwner
  readonly judging: symbol
  /** Its runs go after those of all others. */
  readonly isBehind?: boolean
}

export type RunOptions = {
  readonly owner?: RunOwner | undefined
  readonly alone?: boolean
  /** Runs beside the slots, in one of two of their own, with a quarter of a box's share of the processors. */
  readonly isSlow?: boolean | undefined
  /** A checker runs as another user than the programs of its slot. */
  readonly isChecker?: boolean | undefined
}

/**
 * Two programs that talk: what one writes to its output the other reads as its input. Nobody dies of a pipe that the other
 * broke, and who sees the other's end of file has seen its end.
 */
export type BoxPair = {
  readonly program: BoxProgram
  readonly partner: BoxProgram
  /** Whether the partner's end, by this exit code, lets the program go on; any other stops it. */
  mayGoOn(exitCode: number | null): boolean
}

export type PairOutcome = {
  readonly program: BoxOutcome
  readonly partner: BoxOutcome
  readonly endedFirst: 'program' | 'partner'
}

export type Sandbox = {
  readonly slotCount: number
  /** Waits for a free slot, or with `alone` until no other slot is taken. Throws only when the sandbox itself fails. */
  run(program: BoxProgram, options?: RunOptions): Promise<BoxOutcome>
  /** Until the answer is called, runs of this judging follow one another, and its slot is kept for a moment between two. */
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
  /** The same bytes under another name, which stays when this one is dropped. */
  again?(): KeptFile
}
export type KeptWriter = { write(chunk: Uint8Array): void; finish(): KeptFile; drop(): void }

/** The sandbox failed. This is never the program's fault, and so never a verdict. */
export class SandboxFailure extends Error {
  override readonly name = 'SandboxFailure'
}
