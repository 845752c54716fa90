/** Load for a server: the same number of connections and the same request on us and on the peer, turn by turn. */
import autocannon from 'autocannon'

export type Target = {
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Requests a second, all of them answered as they should be. */
export async function requestsPerSecond(target: Target, seconds = 2, connections = 16): Promise<number> {
  const { url, method = 'GET', headers = {}, body } = target
  const result = await autocannon({ url, method, headers, ...(body && { body }), duration: seconds, connections })
  const wrong = result.non2xx - result['3xx']
  if (result.errors > 0 || wrong > 0) {
    throw new Error(`${method} ${url}: ${result.errors} errors, ${wrong} answers that are not 2xx or 3xx.`)
  }
  return result.requests.total / result.duration
}

/** What V8 takes to compile what is used much: until then a server is half as fast as it will be. */
const warmUpSeconds = 4

/** Ratios of our rate to the peer's, one a round, the two taking turns so that noise falls on both. */
export async function compareRates(ours: Target, peer: Target, rounds = 5, connections = 16): Promise<number[]> {
  await requestsPerSecond(ours, warmUpSeconds, connections)
  await requestsPerSecond(peer, warmUpSeconds, connections)
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const theirs = await requestsPerSecond(peer, 2, connections)
    ratios.push((await requestsPerSecond(ours, 2, connections)) / theirs)
  }
  return ratios
}
