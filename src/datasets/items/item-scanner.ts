/**
 * Validates one item after the other, and counts them. Items resemble each other: what stands between two values of one
 * (brackets, commas, names) is expected to stand there in the next, and is compared rather than read again.
 */
import { Failure } from '../../base/failure.ts'
import { decodeName, isHiddenName, maxNames } from './field-names.ts'
import { currentItems, currentSteps, ItemSteps, learnItem, Step, type StepTable } from './item-steps.ts'
import { fault, scanString, scanWord, spaceOrFault } from './scan-value.ts'
import { itemEnd, StepList } from './step-list.ts'
import { removeWhiteSpace } from './white-space.ts'

/** The item itself is depth 1. */
export const maxDepth = 256

/** Indexed by depth, while a step is read byte by byte. */
const isArrayAt = Buffer.alloc(maxDepth + 2)

const startsScalar = new Uint8Array(256)
for (const letter of '"-0123456789tfn') startsScalar[letter.charCodeAt(0)] = 1

let bodyCount = 0

/** Of one body so many steps are learned: where items have little in common, learning takes longer than reading. */
const maxLearned = 64
/** Where most items have steps that were not met before, whole items are no longer compared in this body. */
const maxMisses = 4

export class ItemScanner {
  readonly bytes: Buffer
  private readonly words: DataView
  end: number
  count = 0
  cleanCount = 0
  hiddenCount = 0
  /** Top-level names, in the order first met. */
  readonly names = new Set<string>()
  // These are TypeScript's `private`, not `#`: this is the inner loop of every push.
  private readonly body = ++bodyCount
  private readonly steps: StepTable = currentSteps()
  /** The last step, where it is not to be remembered. */
  private readonly unlearned = new Step()
  private readonly spellings = new Map<string, string>()
  private learned = 0
  private misses = 0
  private depth = 0
  /** Where the step that was read last ends, or the complement of the place of white space in it. */
  private at = 0

  constructor(bytes: Buffer, end: number) {
    this.bytes = bytes
    this.words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.end = end
  }

  /** Reads the item that starts here and answers where it ends. */
  read(start: number): number {
    let itemEnd = this.scan(start)
    if (itemEnd < 0) {
      this.removeWhiteSpaceFrom(~itemEnd)
      itemEnd = this.scan(start)
    }
    this.count++
    return itemEnd
  }

  removeWhiteSpaceFrom(at: number) {
    const end = removeWhiteSpace(this.bytes, at, this.end)
    if (end < 0) throw fault('expected , or : or a bracket', this.count)
    this.end = end
  }

  /** Answers the end of the item, or the bitwise complement of a place where white space stands between its tokens. */
  private scan(start: number): number {
    if (this.misses >= maxMisses) return this.scanSteps(start, null)
    const known = currentItems()
    for (let i = 0; i < known.length; i++) {
      const end = this.scanLike(known[i]!, start)
      if (end < 0) continue
      if (this.misses > 0) this.misses--
      return end
    }
    this.misses += 2
    return this.scanSteps(start, new StepList())
  }

  /** Scans an item as one that is known; -1 where it has other steps. */
  private scanLike(known: ItemSteps, start: number): number {
    const { code } = known
    const at = code?.(this.bytes, this.words, start, this.end, this.count) ?? this.scanByNumbers(known, start)
    if (at < 0) return -1
    if (code === null) known.meet()
    if (known.notedIn !== this.body) this.noteNames(known)
    if (known.hasClean) this.cleanCount++
    if (known.hasHidden) this.hiddenCount++
    return at
  }

  private scanByNumbers({ numbers }: ItemSteps, start: number): number {
    const { bytes, words, end, count } = this
    let at = start
    for (let i = 0; ; ) {
      const valueAt = at + numbers[i++]!
      const lastAt = valueAt - 4
      if (valueAt > end || lastAt < 0) return -1
      for (; at < lastAt; at += 4) if (words.getInt32(at, true) !== numbers[i++]) return -1
      const last = numbers[i++]!
      if (((words.getInt32(lastAt, true) ^ last) & numbers[i++]!) !== 0) return -1
      at = valueAt
      if (numbers[i++] === itemEnd) return at
      const byte = bytes[at]!
      if (byte === 0x22) at = scanString(bytes, words, at + 1, end, count)
      else if (startsScalar[byte] === 1) at = scanWord(bytes, at, count)
      else return -1
    }
  }

  /** `list` is for the steps of the item, where these are to be remembered. */
  private scanSteps(start: number, list: StepList | null): number {
    const { bytes, words, end, count, body } = this
    const names: string[] = []
    let at = start
    let last = this.steps.before
    let sawHidden = false
    let sawClean = false
    for (;;) {
      const from = at
      let step = findExpected(last, words, bytes, at, end)
      if (step !== null) at += step.bytes.length
      else {
        step = this.readStep(at, last)
        at = this.at
        if (at < 0) return at
      }
      if (step.notedIn !== body) this.noteNames(step)
      if (step.hasHidden) sawHidden = true
      if (step.hasClean) sawClean = true
      list?.add(bytes, from, at, step.isEnd ? itemEnd : 0)
      if (list) names.push(...step.names)
      if (step.isEnd) break
      at = bytes[at] === 0x22 ? scanString(bytes, words, at + 1, end, count) : scanWord(bytes, at, count)
      if (at < 0) return at
      last = step
    }
    if (sawClean) this.cleanCount++
    if (sawHidden) this.hiddenCount++
    const numbers = list?.finish()
    if (numbers) learnItem(new ItemSteps(numbers, names))
    return at
  }

  /** Reads what stands between a value and the next one, byte by byte, and expects it from then on. */
  private readStep(from: number, last: Step): Step {
    const { bytes, words, end, count } = this
    const isFirst = last === this.steps.before
    const names: string[] = []
    let depth = last === this.unlearned ? this.depth : openStack(last)
    let isOpened = isFirst
    let at = isFirst ? from + 1 : from
    while (depth > 0) {
      const isArray = isArrayAt[depth] === 1
      if (bytes[at] === (isArray ? 0x5d : 0x7d)) {
        at++
        depth--
        isOpened = false
        continue
      }
      if (!isOpened) {
        if (bytes[at] !== 0x2c)
          return this.stop(spaceOrFault(bytes, at, isArray ? 'expected , or ]' : 'expected , or }', count))
        at++
      }
      if (!isArray) {
        if (bytes[at] !== 0x22) return this.stop(spaceOrFault(bytes, at, 'expected a name in quotes', count))
        const nameStart = at + 1
        at = scanString(bytes, words, nameStart, end, count)
        if (depth === 1) names.push(this.noteName(nameStart, at - 1))
        if (bytes[at] !== 0x3a) return this.stop(spaceOrFault(bytes, at, 'expected :', count))
        at++
      }
      const byte = bytes[at]!
      if (byte !== 0x7b && byte !== 0x5b) break
      if (++depth > maxDepth) throw faultOfDepth(count)
      isArrayAt[depth] = byte === 0x5b ? 1 : 0
      isOpened = true
      at++
    }
    this.at = at
    this.depth = depth
    return this.describe(from, last, names)
  }

  private stop(place: number): Step {
    this.at = place
    return this.unlearned
  }

  private describe(from: number, last: Step, names: readonly string[]): Step {
    const { bytes, at, depth, unlearned } = this
    const mayLearn = last !== unlearned && this.learned++ < maxLearned
    const open = mayLearn ? isArrayAt.subarray(1, depth + 1) : null
    const step = (open && this.steps.learn(last, bytes, from, at, open)) ?? unlearned
    step.isEnd = depth === 0
    step.names = names
    step.hasHidden = names.some(isHiddenName)
    step.hasClean = names.some((name) => !isHiddenName(name))
    step.notedIn = this.body
    return step
  }

  /** Notes the name between two positions, which is still escaped, and answers it. */
  private noteName(start: number, end: number): string {
    const spelling = this.bytes.toString('latin1', start, end)
    const known = this.spellings.get(spelling)
    if (known !== undefined) return known
    const name = decodeName(this.bytes.subarray(start, end))
    if (this.names.size < maxNames) {
      this.names.add(name)
      this.spellings.set(spelling, name)
    }
    return name
  }

  /** Notes those of a step that was learned from another body. */
  private noteNames(step: Step | ItemSteps) {
    step.notedIn = this.body
    for (const name of step.names) if (this.names.size < maxNames) this.names.add(name)
  }
}

/** The step that is expected after this one, if it stands here and a value comes after it. */
function findExpected({ followers }: Step, words: DataView, bytes: Buffer, at: number, end: number): Step | null {
  for (let i = 0; i < followers.length; i++) {
    const step = followers[i]!
    const { bytes: expected } = step
    if (expected.isAt(words, at, end) && (step.isEnd || startsScalar[bytes[at + expected.length]!] === 1)) return step
  }
  return null
}

function openStack({ stack }: Step): number {
  isArrayAt.set(stack, 1)
  return stack.length
}

function faultOfDepth(position: number): Failure {
  const message = `Item ${position} is nested deeper than ${maxDepth} levels: flatten it before pushing.`
  return new Failure('invalid', 'invalid-value', message, { itemPosition: position })
}
