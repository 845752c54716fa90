/** The sandbox as the judging sees it: one program run in one box, and what was measured. A true seam: tests script it. */

export type BoxLimits = {
  /** CPU time of all its processes; the box is stopped once it is used up. */
  readonly cpuMs: number
  readonly wallMs: number
  readonly memoryBytes: number
  readonly outputBytes: number
  /** What the private folders may hold, and so the largest file. */
  readonly folderBytes: number
  readonly processes: number
}

export type BoxProgram = {
  /** The program and its words; the first is an absolute path inside the box. */
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** The host's folders that its toolchain needs, shown read-only under their own names. */
  readonly folders: readonly string[]
  /** Files of ours (their names are never drawn from a submission) shown read-only inside. */
  readonly files: readonly { readonly from: string; readonly at: string }[]
  /** A file of ours to read as standard input; none is an empty input. */
  readonly input?: string
  readonly limits: BoxLimits
  /** Takes standard output as it comes; with `collect` it takes that file's bytes instead. */
  readonly onOutput: (chunk: Uint8Array) => void
  /** A file inside the box to hand out once the program has ended well; its own output then joins stderr. */
  readonly collect?: string
  readonly signal?: AbortSignal
}

export type StopReason = 'cpu' | 'wall' | 'memory' | 'output' | 'abort'

export type BoxOutcome = {
  /** Null when it ended by a signal, or was stopped before it ended. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMemoryBytes: number
  /** The box's own memory limit was reached and cost a process its life. */
  readonly isOutOfMemory: boolean
  readonly outputBytes: number
  readonly stderr: Uint8Array
  readonly stopped: StopReason | null
  /** Another box ran at the same time for a part of this run. */
  readonly hadCompany: boolean
}

export type Sandbox = {
  readonly slotCount: number
  /** Waits for a free slot, or with `alone` until no other box runs. Throws only when the sandbox itself fails. */
  run(program: BoxProgram, options?: { readonly alone?: boolean }): Promise<BoxOutcome>
  /** A new file of ours with these bytes, to show inside a box. */
  keep(bytes: Uint8Array): Promise<KeptFile>
  /** A new file of ours to be filled as bytes arrive. */
  open(): KeptWriter
  close(): Promise<void>
}

export type KeptFile = { readonly path: string; readonly size: number; drop(): void }
export type KeptWriter = { write(chunk: Uint8Array): void; finish(): KeptFile; drop(): void }

/** The sandbox could not do its work: never the program's fault, and so never a verdict. */
export class SandboxFailure extends Error {
  override readonly name = 'SandboxFailure'
}
