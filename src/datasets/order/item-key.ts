/**
 * The sort key of an item: bytes that compare as its fields do. Missing comes first, then null, false, true, numbers by
 * value, text by code point, arrays and objects by their JSON.
 */
import { createHash } from 'node:crypto'
import { findValue } from '../formats/item-values.ts'
import { isArray, isObject, isString, readString } from '../items/json-text.ts'
import { readDecimal } from '../items/number-order.ts'
import type { Ordering } from '../query/order.ts'

/** This much of a text or a number counts in an order, which bounds the memory of merging. */
export const comparedBytes = 1_024

/** Longer `distinct` keys are hashed: their order does not matter. */
const hashedBytes = 64

/** The place ends the key, so that no two keys are equal and equal items keep their order. */
export function orderKey(item: string, { sort }: Ordering, place: number): Buffer {
  const parts = sort.map(({ path, isDescending }) => {
    const bytes = encodeValue(findValue(item, path), comparedBytes)
    return isDescending ? invert(bytes) : bytes
  })
  const last = Buffer.alloc(8)
  last.writeBigUInt64BE(BigInt(place))
  return Buffer.concat([...parts, last])
}

export function distinctKey(item: string, { distinct }: Ordering): Buffer {
  const bytes = Buffer.concat(distinct.map((path) => encodeValue(findValue(item, path), Number.POSITIVE_INFINITY)))
  return bytes.length <= hashedBytes ? bytes : createHash('sha256').update(bytes).digest()
}

export function encodeValue(json: string | undefined, most: number): Buffer {
  if (json === undefined) return Buffer.from([1])
  if (json === 'null') return Buffer.from([2])
  if (json === 'false') return Buffer.from([3])
  if (json === 'true') return Buffer.from([4])
  if (isString(json)) return encodeText(6, readString(json), most)
  if (isArray(json)) return encodeText(7, json, most)
  return isObject(json) ? encodeText(8, json, most) : encodeNumber(json, most)
}

/** A zero byte ends the text, so one inside it is escaped. */
function encodeText(kind: number, text: string, most: number): Buffer {
  // One more, since half a surrogate pair would be another character.
  const bytes = Buffer.from(text.slice(0, most + 1)).subarray(0, most)
  const marked = bytes.includes(0)
    ? Buffer.from([...bytes].flatMap((byte) => (byte === 0 ? [0, 0xff] : [byte])))
    : bytes
  return Buffer.concat([Buffer.from([kind]), marked, Buffer.from([0, 0])])
}

const farthest = 2n ** 62n

/** The power of ten, then the digits; inverted for a negative number. */
function encodeNumber(json: string, most: number): Buffer {
  const { sign, digits, point } = readDecimal(json)
  if (digits === '') return Buffer.from([5, 1])
  const power = Buffer.alloc(8)
  power.writeBigUInt64BE((point > farthest ? farthest : point < -farthest ? -farthest : point) + farthest)
  const size = Buffer.concat([power, Buffer.from(digits.slice(0, most)), Buffer.from([0])])
  return Buffer.concat([Buffer.from([5, sign < 0 ? 0 : 2]), sign < 0 ? invert(size) : size])
}

const invert = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => ~byte & 0xff))
