/**
 * The steps of an item as code: of the items of a data set most have the same few, and code that is written for these compares
 * them in two fifths of the time that a loop over their numbers takes. It is made of numbers alone: nothing of an item's own
 * text stands in it.
 */
import { itemEnd } from './step-list.ts'

/** So many items must have had the same steps before code is written for them, which takes as long as to read about as many. */
export const worthCode = 256

/** Longer code would not be optimized. */
const maxNumbers = 1_500
const maxValues = 128

/** For each value, whose step has this tag, code that moves `at` past it. */
type WriteValue = (tag: number) => string

/**
 * The code of a function's body, which has `bytes`, `words` (a view of them), `end` (where they end) and the variable `at`. It
 * answers -1 where the bytes are others, and else runs `endCode` with `at` behind the item. Null where it would be too long.
 */
export function writeStepCode(numbers: Int32Array, writeValue: WriteValue, endCode: string): string | null {
  if (numbers.length > maxNumbers) return null
  let code = ''
  let values = 0
  for (let i = 0; ; ) {
    const length = numbers[i++]!
    const tests = [`at + ${length} > end`]
    if (length < 4) tests.push(`at < ${4 - length}`)
    for (let from = 0; from < length - 4; from += 4)
      tests.push(`words.getInt32(at + ${from}, true) !== ${numbers[i++]}`)
    const [last, mask] = [numbers[i++]!, numbers[i++]!]
    tests.push(`((words.getInt32(at + ${length - 4}, true) ^ ${last}) & ${mask}) !== 0`)
    code += `if (${tests.join(' || ')}) return -1\nat = (at + ${length}) | 0\n`
    const tag = numbers[i++]!
    if (tag === itemEnd) return code + endCode
    if (++values > maxValues) return null
    code += writeValue(tag)
  }
}

/** Makes a function of code; `known` is what it may call and look up. */
export function makeCode<F>(parameters: readonly string[], body: string, known: Readonly<Record<string, unknown>>): F {
  const make = new Function(...Object.keys(known), `return function (${parameters.join()}) {\n${body}\n}`)
  return make(...Object.values(known)) as F
}
