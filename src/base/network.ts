/** The network that an address counts for: whoever has one IPv6 address has all of its /64. */
import { isIPv6 } from 'node:net'

export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  // An IPv4 address as a socket for both kinds spells it.
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [start = '', end] = address.replace(/%.*$/, '').split('::')
  const left = start.split(':').filter(Boolean)
  const right = (end ?? '').split(':').filter(Boolean)
  const gap = end === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array.from({ length: gap }, () => '0'), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
