/** Reads the members of a record, each with its type. A wrong member refuses the archive and is named. */
import { isObjectId } from '../../../git/ref-name.ts'
import { refuseImport } from '../refusal.ts'

/** At least as long as the interface accepts. */
export const lengths = { line: 1_024, text: 1_048_576, address: 2_000 } as const

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const maxListed = 10_000

/** A missing member counts as null: archives of earlier versions have fewer members. */
export class Fields {
  readonly place: string
  /** All members, unchecked. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(value: unknown, place: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw refuseImport(`${place} is not a record.`)
    this.members = value as Record<string, unknown>
    this.place = place
  }

  refuse(name: string, what: string): never {
    throw refuseImport(`${this.place}: ${name} must be ${what}.`)
  }

  has(name: string): boolean {
    return this.members[name] !== undefined && this.members[name] !== null
  }

  text(name: string, most: number = lengths.line, least = 1): string {
    const given = this.members[name]
    return isText(given, most) && given.length >= least
      ? given
      : this.refuse(name, `text of ${least} to ${most} characters`)
  }

  textOrNull(name: string, most: number = lengths.line): string | null {
    return this.has(name) ? this.text(name, most, 0) : null
  }

  whole(name: string, least = 0, most = 2_147_483_647): number {
    const given = this.members[name]
    const isWhole = typeof given === 'number' && Number.isInteger(given) && given >= least && given <= most
    return isWhole ? given : this.refuse(name, `a whole number from ${least} to ${most}`)
  }

  wholeOrNull(name: string, least = 0): number | null {
    return this.has(name) ? this.whole(name, least) : null
  }

  flag(name: string, usual = false): boolean {
    const given = this.members[name] ?? usual
    return typeof given === 'boolean' ? given : this.refuse(name, 'true or false')
  }

  time(name: string): number {
    const given = this.members[name]
    const ms = typeof given === 'string' && timePattern.test(given) ? Date.parse(given) : Number.NaN
    const isTime = ms >= 0 && `${new Date(ms).toISOString().slice(0, 19)}Z` === given
    return isTime ? ms : this.refuse(name, 'a time like 2026-03-10T12:00:00Z')
  }

  timeOrNull(name: string): number | null {
    return this.has(name) ? this.time(name) : null
  }

  oneOf<const T extends string>(name: string, words: readonly T[]): T {
    return words.find((word) => word === this.members[name]) ?? this.refuse(name, `one of ${words.join(', ')}`)
  }

  oneOfOrNull<const T extends string>(name: string, words: readonly T[]): T | null {
    return this.has(name) ? this.oneOf(name, words) : null
  }

  address(name: string): string {
    return this.text(name, lengths.address)
  }

  addressOrNull(name: string): string | null {
    return this.has(name) ? this.address(name) : null
  }

  sha(name: string): string {
    const given = this.members[name]
    return typeof given === 'string' && isObjectId(given) ? given : this.refuse(name, 'a commit’s id')
  }

  shaOrNull(name: string): string | null {
    return this.has(name) ? this.sha(name) : null
  }

  list(name: string): readonly unknown[] {
    const given = this.members[name] ?? []
    return Array.isArray(given) && given.length <= maxListed ? given : this.refuse(name, 'a list')
  }

  texts(name: string, most: number): string[] {
    return this.list(name).map((given) => (isText(given, most) ? given : this.refuse(name, 'a list of texts')))
  }

  addresses(name: string): string[] {
    return this.texts(name, lengths.address)
  }

  object(name: string): Fields {
    return new Fields(this.members[name], `${this.place}: ${name}`)
  }

  objectOrNull(name: string): Fields | null {
    return this.has(name) ? this.object(name) : null
  }

  each<T>(name: string, read: (fields: Fields) => T): T[] {
    return this.list(name).map((one, at) => read(new Fields(one, `${this.place}: ${name} ${at + 1}`)))
  }

  /** The rest of an address after the prefix. */
  after(name: string, prefix: string): string {
    const given = this.address(name)
    return given.startsWith(prefix) && given.length > prefix.length
      ? given.slice(prefix.length)
      : this.refuse(name, `an address that begins with ${prefix.slice(0, 300)}`)
  }

  numberAfter(name: string, prefix: string, most = Number.MAX_SAFE_INTEGER): number {
    const rest = this.after(name, prefix)
    const number = /^[1-9]\d{0,15}$/.test(rest) ? Number(rest) : Number.NaN
    return number <= most ? number : this.refuse(name, 'an address that ends in a number')
  }
}

const isText = (given: unknown, most: number): given is string =>
  typeof given === 'string' && given.length <= most && given.isWellFormed() && !given.includes('\0')
