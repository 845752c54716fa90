/**
 * Resolves receivers' names to addresses. The system's resolver holds one of Node's few threads as long as a name
 * server takes, so the owner of a slow one could take them all: internet names are resolved without a thread, with
 * timeouts.
 */
import { lookup, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'
import type { Resolve, ResolvedAddress } from './destination.ts'

/** Two tries, the second one longer, both within the time that a receiver has to answer. */
const askingMs = 2_000
const tries = 2
/** Node has four such threads. */
const threads = 1

type Options = { readonly servers?: readonly string[]; readonly hostsFile?: string }

export function makeResolve({ servers, hostsFile = '/etc/hosts' }: Options = {}): Resolve {
  const { run } = makeFairScheduler({ slots: threads, what: 'names to be looked up' })

  /** Names that only the operator's system resolves: those of the hosts file, and short ones, which it completes. */
  async function isOperators(host: string): Promise<boolean> {
    if (!host.replace(/\.$/, '').includes('.')) return true
    const lines = (await readFile(hostsFile, 'utf8').catch(() => '')).split('\n')
    return lines.some((line) =>
      line.replace(/#.*/, '').toLowerCase().split(/\s+/).slice(1).includes(host.toLowerCase()),
    )
  }

  async function ask(host: string): Promise<ResolvedAddress[]> {
    const resolver = new Resolver({ timeout: askingMs, tries })
    if (servers) resolver.setServers(servers)
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = [...toAddresses(four, 4), ...toAddresses(six, 6)]
    // A name with addresses of only one family is an error for the other.
    if (found.length === 0 && four.status === 'rejected') throw four.reason
    return found
  }

  return async (host) =>
    (await isOperators(host)) ? run('', () => lookup(host, { all: true, verbatim: true })) : ask(host)
}

const toAddresses = (answer: PromiseSettledResult<string[]>, family: number): ResolvedAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
