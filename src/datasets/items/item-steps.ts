/**
 * The steps of items: what stands between two values (brackets, commas, names), before the first and after the last. Items
 * resemble each other, within a push and from one push to the next, so steps are remembered and expected to come again.
 */
import { ExpectedBytes } from './expected-bytes.ts'
import { isHiddenName } from './field-names.ts'
import { type ScanCode, writeScanCode } from './scan-code.ts'
import { worthCode } from './step-code.ts'

export class Step {
  isEnd = false
  hasHidden = false
  hasClean = false
  /** The top-level names in it, and the number of the body in which they were last noted. */
  names: readonly string[] = none
  notedIn = 0
  bytes: ExpectedBytes = noBytes
  /** What is open after it, from the outermost: 1 for an array, 0 for an object. */
  stack: Uint8Array = objectAlone
  /** Steps that came after it. */
  followers: readonly Step[] = none
}

const none: readonly never[] = []
const noBytes = new ExpectedBytes(Buffer.alloc(0))
const objectAlone = Uint8Array.of(0)

/** More steps than these, and longer ones, are data rather than structure. */
const maxSteps = 2_000
const maxFollowers = 8
const maxStepLength = 256

export class StepTable {
  /** Stands for the place before an item. */
  readonly before = new Step()
  private readonly steps = new Map<string, Step>()

  /** The same step is one, wherever it came before: what may follow it depends on what is open, and on nothing else. */
  learn(last: Step, bytes: Buffer, from: number, to: number, stack: Buffer): Step | null {
    if (to - from > maxStepLength || this.isFull) return null
    const key = stack.toString('latin1') + bytes.toString('latin1', from, to)
    let step = this.steps.get(key)
    if (step === undefined) {
      step = new Step()
      step.bytes = new ExpectedBytes(bytes.subarray(from, to))
      step.stack = Uint8Array.from(stack)
      this.steps.set(key, step)
    }
    last.followers = [...last.followers.slice(0, maxFollowers - 1), step]
    return step
  }

  get isFull(): boolean {
    return this.steps.size >= maxSteps
  }
}

/** The steps of a whole item, and what is known of all items that have them. */
export class ItemSteps {
  readonly numbers: Int32Array
  readonly names: readonly string[]
  readonly hasHidden: boolean
  readonly hasClean: boolean
  /** The number of the body in which its names were last noted. */
  notedIn = 0
  /** Scans such items, once there were enough of them. */
  code: ScanCode | null = null
  private metCount = 0

  constructor(numbers: Int32Array, names: readonly string[]) {
    this.numbers = numbers
    this.names = names
    this.hasHidden = names.some(isHiddenName)
    this.hasClean = names.some((name) => !isHiddenName(name))
  }

  /** Another item was found to have them. */
  meet(): void {
    if (++this.metCount === worthCode) this.code = writeScanCode(this.numbers)
  }
}

/** Those met last, the latest first. */
const maxItems = 4
let items: readonly ItemSteps[] = none

export const currentItems = (): readonly ItemSteps[] => items

export const learnItem = (one: ItemSteps): void => {
  items = [one, ...items.slice(0, maxItems - 1)]
}

let table = new StepTable()

/** The steps that this thread has met. A full table is begun anew with the next body, lest it hold what comes no more. */
export function currentSteps(): StepTable {
  if (table.isFull) table = new StepTable()
  return table
}
