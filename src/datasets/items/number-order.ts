/** Compares two numbers, by their digits if they are the same double. */

export function compareNumbers(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)]
  if (x !== y) return x < y ? -1 : 1
  return a === b ? 0 : compareDigits(readDecimal(a), readDecimal(b))
}

/** 0.`digits` times ten to the power of `point`. The digits have no zeros at either end; zero has no digits. */
type Decimal = { readonly sign: number; readonly digits: string; readonly point: bigint }

export function readDecimal(text: string): Decimal {
  const [, minus, whole = '', part = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!
  const all = whole + part
  const digits = all.replace(/^0+/, '')
  const point = BigInt(power.replace('+', '')) + BigInt(whole.length - (all.length - digits.length))
  return { sign: minus ? -1 : 1, digits: withoutLastZeros(digits), point }
}

/** Not a regular expression: one for trailing zeros takes quadratic time if zeros are not at the end. */
function withoutLastZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

function compareDigits(a: Decimal, b: Decimal): number {
  if (a.digits === '' || b.digits === '') return a.digits === b.digits ? 0 : a.digits === '' ? -b.sign : a.sign
  if (a.sign !== b.sign) return a.sign
  if (a.point !== b.point) return a.point < b.point ? -a.sign : a.sign
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -a.sign : a.sign
}
