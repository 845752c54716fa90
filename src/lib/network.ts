/**
 * The unit that every limit, lock-out and budget per address counts by: an IPv4 address, or a whole IPv6 network, since
 * whoever has one of its addresses has them all. The audit log and the log keep the address itself.
 */
import { isIPv6 } from 'node:net'

/** The least that providers give to one customer. */
const usualBits = 64
let ipv6Bits = usualBits

/** For the whole process, like the setting: counts in memory and in the database must agree on it. */
export function countIpv6By(bits: number): void {
  ipv6Bits = bits
}

/** Text that is no IP address counts as itself. A client that has left has no address: its socket tells none. */
export function networkOf(spelled: string | undefined, bits = ipv6Bits): string {
  if (!spelled?.includes(':')) return spelled ?? ''
  const address = withoutPort(spelled)
  if (!isIPv6(address)) return address
  const groups = readGroups(address.replace(/%.*$/, ''))
  if (isMapped(groups)) return groups.slice(6).flatMap(toBytes).join('.')
  const network = groups
    .slice(0, Math.ceil(bits / 16))
    .map((group, i) => (group & ~(0xffff >> Math.min(16, bits - i * 16))).toString(16))
    .join(':')
  return `${network}${bits > 112 ? '' : '::'}/${bits}`
}

/** Some proxies write `192.0.2.7:4711` and `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const found = /^\[([^\]]*)\](?::\d+)?$|^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)
  return found?.[1] ?? found?.[2] ?? text
}

/** The eight groups of a valid address. The last two may be written as an IPv4 address. */
function readGroups(address: string): number[] {
  const [start = '', end] = address.split('::')
  const [left, right] = [readPart(start), readPart(end ?? '')]
  const gap = end === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array.from({ length: gap }, () => 0), ...right]
}

const readPart = (text: string): number[] =>
  text
    .split(':')
    .filter(Boolean)
    .flatMap((group) => {
      if (!group.includes('.')) return Number.parseInt(group, 16)
      const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
      return [a * 256 + b, c * 256 + d]
    })

/** An IPv4 address as dual-stack sockets show it: `::ffff:192.0.2.7`, in any spelling. */
const isMapped = (groups: readonly number[]): boolean =>
  groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)

const toBytes = (group: number): number[] => [group >> 8, group & 0xff]
