/** Numbers within a tolerance: compared exactly as decimals, since 1.000001 is within 0.000001 of 1. */
import { decimalForm, type Tolerance } from '../../lib/judging-rules/token-arguments.ts'

/** Larger exponents are compared as doubles: the exact number would have as many digits. */
const mostExponent = 2_000
const roundOff = 2 ** -50

const isNumber = (text: string): boolean => decimalForm.test(text)

/** False if either is no number. A relative tolerance refers to the expected number. */
export function isWithinTolerance(expected: string, got: string, { absolute, relative }: Tolerance): boolean {
  if (!isNumber(expected) || !isNumber(got)) return false
  return (
    (absolute !== null && isWithin(expected, got, absolute, '1')) ||
    (relative !== null && isWithin(expected, got, relative, expected))
  )
}

/**
 * Whether the numbers differ by at most `tolerance` times the size of `unit`. Doubles decide if the result is certain.
 */
function isWithin(expected: string, got: string, tolerance: string, unit: string): boolean {
  const [one, other] = [Number(expected), Number(got)]
  const most = Number(tolerance) * Math.abs(Number(unit))
  const apart = Math.abs(one - other)
  const doubt = (Math.abs(one) + Math.abs(other) + most) * roundOff
  if (Number.isFinite(apart) && Math.abs(apart - most) > doubt) return apart < most
  const all = [expected, got, tolerance, unit].map(readScaled)
  if (all.some((each) => each === null)) return apart <= most
  const [a, b, t, u] = all as ScaledInteger[]
  const exponent = Math.min(a!.exponent, b!.exponent, t!.exponent + u!.exponent)
  const scale = (digits: bigint, own: number) => digits * 10n ** BigInt(own - exponent)
  const distance = abs(scale(a!.digits, a!.exponent) - scale(b!.digits, b!.exponent))
  return distance <= scale(t!.digits * abs(u!.digits), t!.exponent + u!.exponent)
}

type ScaledInteger = { readonly digits: bigint; readonly exponent: number }

/** The number as digits × 10^exponent. Null if it is too large or too small to write out. */
function readScaled(text: string): ScaledInteger | null {
  const [, sign, whole = '', part = '', onlyPart = '', power = '0'] = decimalForm.exec(text)!
  const fraction = part + onlyPart
  const exponent = Number(power) - fraction.length
  if (Math.abs(Number(power)) > mostExponent) return null
  const digits = BigInt(whole + fraction)
  return { digits: sign === '-' ? -digits : digits, exponent }
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value)
