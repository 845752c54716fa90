/** Whether a double represents a number as it was written. */
import { compareNumbers } from './number-order.ts'

/** Whether the nearest double prints the same value, at its shortest or with as many digits as given (17 at most). */
export function printsBack(text: string): boolean {
  const double = Number(text)
  if (!Number.isFinite(double)) return false
  const shortest = String(double)
  if (shortest === text || compareNumbers(shortest, text) === 0) return true
  const digits = text
    .replace(/[eE].*/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
  if (digits.length > 17) return false
  const [, mantissa = ''] = /^-?(.*?)(?:e.*)?$/.exec(double.toExponential(Math.max(0, digits.length - 1))) ?? []
  return mantissa.replace('.', '') === digits
}
