/** Maps the addresses in an archive's records to things of this server. No address may lead outside the archive. */
import { makeSlices } from '../../../lib/scheduling/slices.ts'
import { demandImport, refuseImport } from './refusal.ts'

export type AddressKind =
  | 'user'
  | 'organisation'
  | 'team'
  | 'repository'
  | 'label'
  | 'milestone'
  | 'issue'
  | 'pull'
  | 'comment'
  | 'review'
  | 'review-comment'

const mib = 1024 * 1024
/** The memory for all addresses, including the map's entries: some millions of them. */
const maxBytes = 512 * mib
const entryBytes = 100

type Entry = { readonly kind: AddressKind; id: number }

export type AddressIndex = ReturnType<typeof makeAddressIndex>

export function makeAddressIndex() {
  const entries = new Map<string, Entry>()
  const claims = new Set<string>()
  /** Addresses that were named before their record came. */
  const awaited: { readonly kinds: readonly AddressKind[]; readonly address: string; readonly place: string }[] = []

  let bytes = 0
  function hold(text: string): void {
    bytes += text.length + entryBytes
    demandImport(bytes <= maxBytes, 'The archive names more than this server can hold in memory.')
  }

  const isKnown = (kinds: readonly AddressKind[], address: string): boolean =>
    kinds.includes(entries.get(address)?.kind as AddressKind)

  return {
    add(kind: AddressKind, address: string, place: string): void {
      if (entries.has(address)) throw refuseImport(`${place}: ${address} is there twice.`)
      hold(address)
      entries.set(address, { kind, id: 0 })
    },

    /** Keys that must be unique besides addresses: the number of an issue, the title of a milestone. */
    claim(key: string, place: string): void {
      if (claims.has(key)) throw refuseImport(`${place}: ${key} is there twice.`)
      hold(key)
      claims.add(key)
    },

    /** The record may come later: `finish` checks that it did. */
    expect(kinds: readonly AddressKind[], address: string | null, place: string): void {
      if (address === null || isKnown(kinds, address)) return
      hold(address)
      awaited.push({ kinds, address, place })
    },

    /** Throws for the first address that leads outside the archive. */
    async finish(): Promise<void> {
      const slices = makeSlices()
      for (const { kinds, address, place } of awaited) {
        if (!isKnown(kinds, address))
          throw refuseImport(`${place} names ${address}, which is not in the archive, or is something else there.`)
        if (slices.isDue()) await slices.pause()
      }
      awaited.length = 0
      claims.clear()
    },

    has: (kind: AddressKind, address: string): boolean => isKnown([kind], address),

    setId(address: string, id: number): void {
      entries.get(address)!.id = id
    },

    /** The id of the row that it became here. */
    idOf(address: string): number {
      const id = entries.get(address)?.id
      if (!id) throw new Error(`${address} is not written yet.`)
      return id
    },

    idOrNull(address: string | null): number | null {
      return address === null ? null : this.idOf(address)
    },
  }
}

/** The kinds that may own or have written something. */
export const anyAccount: readonly AddressKind[] = ['user', 'organisation']
export const issueOrPull: readonly AddressKind[] = ['issue', 'pull']
