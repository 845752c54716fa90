/**
 * Reads the members of a record of the public platform. A missing member is null, a long text is cut, a time gets our
 * form; a member of the wrong type refuses the archive and is named.
 */
import { formatTime } from '../../records/addresses.ts'
import { lengths } from '../reading/fields.ts'
import { refuseImport } from '../refusal.ts'

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
const maxListed = 10_000

export class RawRecord {
  readonly place: string
  readonly #members: Readonly<Record<string, unknown>>

  constructor(value: unknown, place: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw refuseImport(`${place} is not a record.`)
    this.#members = value as Record<string, unknown>
    this.place = place
  }

  #refuse(name: string, what: string): never {
    throw refuseImport(`${this.place}: ${name} must be ${what}.`)
  }

  has(name: string): boolean {
    return this.#members[name] !== undefined && this.#members[name] !== null
  }

  textOrNull(name: string, most: number = lengths.line): string | null {
    if (!this.has(name)) return null
    const given = this.#members[name]
    if (typeof given !== 'string') this.#refuse(name, 'text')
    return (given as string).slice(0, most).replaceAll('\0', '').toWellFormed()
  }

  text(name: string, most: number = lengths.line): string {
    return this.textOrNull(name, most) ?? ''
  }

  /** An address, or null. Addresses are compared without regard to case. */
  address(...names: readonly string[]): string | null {
    const name = names.find((one) => this.has(one))
    if (name === undefined) return null
    const given = this.#members[name]
    const isAddress = typeof given === 'string' && given.length <= lengths.address && given.isWellFormed()
    return isAddress ? given : this.#refuse(name, 'an address')
  }

  demandAddress(...names: readonly string[]): string {
    return this.address(...names) ?? this.#refuse(names[0]!, 'an address')
  }

  /** The number that an address ends in. */
  numberOf(name: string): number {
    const [, digits] = /(?:^|\D)([1-9]\d{0,15})$/.exec(this.demandAddress(name)) ?? []
    return digits === undefined ? this.#refuse(name, 'an address that ends in a number') : Number(digits)
  }

  timeOrNull(name: string): string | null {
    if (!this.has(name)) return null
    const given = this.#members[name]
    const ms = typeof given === 'string' && timePattern.test(given) ? Date.parse(given) : Number.NaN
    return ms >= 0 ? formatTime(ms) : this.#refuse(name, 'a time like 2026-03-10T12:00:00Z')
  }

  time(name: string): string {
    return this.timeOrNull(name) ?? this.#refuse(name, 'a time like 2026-03-10T12:00:00Z')
  }

  flag(name: string, usual = false): boolean {
    const given = this.#members[name] ?? usual
    return typeof given === 'boolean' ? given : this.#refuse(name, 'true or false')
  }

  /** A whole number from 0, or null for anything else. */
  whole(name: string): number | null {
    const given = this.#members[name]
    const isWhole = typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= 2_147_483_647
    return isWhole ? given : null
  }

  /** A commit's id, or null for anything else. */
  sha(name: string): string | null {
    const given = this.#members[name]
    return typeof given === 'string' && /^[0-9a-f]{40}$/.test(given) ? given : null
  }

  /** A word, in lower case. Some members are words in one version and numbers in another: those are written as text. */
  word(name: string): string {
    const given = this.#members[name]
    return typeof given === 'string' || typeof given === 'number' ? String(given).slice(0, 100).toLowerCase() : ''
  }

  list(name: string): readonly unknown[] {
    const given = this.#members[name] ?? []
    return Array.isArray(given) && given.length <= maxListed ? given : this.#refuse(name, 'a list')
  }

  texts(name: string): string[] {
    return this.list(name).filter((one) => typeof one === 'string' && one.length <= lengths.address) as string[]
  }

  object(name: string): RawRecord | null {
    return this.has(name) ? new RawRecord(this.#members[name], `${this.place}: ${name}`) : null
  }

  each(name: string): RawRecord[] {
    return this.list(name).map((one, at) => new RawRecord(one, `${this.place}: ${name} ${at + 1}`))
  }
}
