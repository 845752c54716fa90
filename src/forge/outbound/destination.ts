/**
 * Decides where this server may call when a user names the address (webhooks, imports): to the internet, never into the
 * server's own network, except for parts that the settings name. The address is checked as the socket is about to use
 * it, so a name that resolves differently the second time gains nothing.
 */
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'

export type ResolvedAddress = { readonly address: string; readonly family: number }
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>

/** Why a call must not go to its address. */
export class DestinationRefused extends Error {
  override readonly name = 'DestinationRefused'
}

/** Addresses of no host on the internet, or of hosts reachable only within a network. */
const insideIPv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Cloud metadata services use link-local addresses; one provider has this address of its own.
  '169.254.0.0/16',
  '168.63.129.16/32',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/** All global IPv6 addresses begin so; those with an embedded IPv4 address (NAT64, mapped) do not. */
const globalIPv6 = ['2000::/3']
/** Exceptions within those: tunnels that embed an IPv4 address (Teredo, 6to4), and documentation. */
const insideIPv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

export function makeNetworks(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const family = isIP(address)
    if (family === 0) throw new Error(`is a list of networks such as 10.1.0.0/16 or ::1; ${network} is none.`)
    const most = family === 4 ? 32 : 128
    const bits = prefix === undefined ? most : Number(prefix)
    if (!/^\d+$/.test(prefix ?? '0') || bits > most) throw new Error(`names ${network}, which has no such prefix.`)
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

const inside4 = makeNetworks(insideIPv4)
const inside6 = makeNetworks(insideIPv6)
const global6 = makeNetworks(globalIPv6)

/** Whether an address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !inside4.check(address, 'ipv4')
  return family === 6 && global6.check(address, 'ipv6') && !inside6.check(address, 'ipv6')
}

type Needs = {
  /** Parts of the operator's network that may be called. */
  allowed: BlockList
  resolve: Resolve
  /** The public host name of this server. */
  ownHost: string | undefined
  /** This machine's own addresses, read each time because they change. */
  ownAddresses?: () => readonly string[]
}

export type Destinations = ReturnType<typeof makeDestinations>

export function makeDestinations({ allowed, resolve, ownHost, ownAddresses = listOwnAddresses }: Needs) {
  const isAllowed = (address: string): boolean => {
    const family = isIP(address)
    return family !== 0 && allowed.check(address, family === 4 ? 'ipv4' : 'ipv6')
  }

  const mayCall = (address: string): boolean =>
    isAllowed(address) || (isPublicAddress(address) && !ownAddresses().includes(address))

  function demandAddress(address: string, isFine = mayCall): void {
    if (isFine(address)) return
    throw new DestinationRefused('The address is not one of the internet, or is this server’s own.')
  }

  /** The checks without a name server: the scheme, the port, and an address in place of a name. */
  function demandFine(url: URL): void {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new DestinationRefused('The address must begin with http:// or https://.')
    if (url.username !== '' || url.password !== '')
      throw new DestinationRefused('The address must not hold a name or password: use a secret.')
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    if (port !== 80 && port !== 443 && port < 1024)
      throw new DestinationRefused('The port must be 80, 443, or 1024 and above.')
    const host = hostOf(url)
    if (isIP(host) !== 0) demandAddress(host)
  }

  /**
   * All addresses of a name must be allowed: otherwise its owner could get a forbidden one chosen by chance. An unknown
   * name is refused in the same words as an internal one, or hooks would reveal the names in the operator's network.
   */
  async function resolveFine(host: string, mayReach = mayCall): Promise<readonly ResolvedAddress[]> {
    const found = await resolve(host).catch((error: unknown) => {
      if (unknownName.test(String((error as { code?: unknown }).code))) return []
      throw error
    })
    const isOwn = ownHost !== undefined && plainName(host) === plainName(ownHost)
    const isFine = ({ address }: ResolvedAddress) => (isOwn ? isAllowed(address) : mayReach(address))
    if (found.length > 0 && found.every(isFine)) return found
    throw new DestinationRefused('The name has no address of the internet, or is this server’s own.')
  }

  const makeLookup =
    (mayReach: (address: string) => boolean): LookupFunction =>
    (host, options, answer) => {
      resolveFine(host, mayReach).then(
        (found) => {
          if (options.all) answer(null, [...found])
          else answer(null, found[0]!.address, found[0]!.family)
        },
        (error) => answer(error, '', 0),
      )
    }

  return {
    demandFine,

    /** Also refuses a literal address outside of the networks that the settings name. */
    demandWithin(url: URL): void {
      demandFine(url)
      const host = hostOf(url)
      if (isIP(host) !== 0) demandAddress(host, isAllowed)
    },

    /** For sockets, which connect only to the addresses answered here. */
    lookup: makeLookup(mayCall),

    /** The same, only to networks that the settings name. */
    lookupWithin: makeLookup(isAllowed),
  }
}

/** The codes for an unknown name, of the system's resolver and of name servers. Other failures may be temporary. */
const unknownName = /^(?:ENOTFOUND|ENODATA|ENONAME|EBADNAME|EAI_(?:AGAIN|FAIL|NODATA|NONAME))$/

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/** A dot at the end only marks a name as fully qualified; it is the same name. */
const plainName = (host: string): string => host.toLowerCase().replace(/\.+$/, '')

const listOwnAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))
