/** A server that repositories are imported from and one that imports them, and who asks for it on each. */

import type { Engine } from '../../support/engines.ts'
import { makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { type ServerOptions, startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { type GitServer, startGitServer } from '../git-server.ts'

export type TwoServers = {
  readonly source: GitServer
  readonly server: TestServer
  /** On the server that imports. */
  readonly ann: RestClient
  readonly bob: RestClient
  stop(): Promise<void>
}

export const importing = {
  GUILDHALL_IMPORT_NETWORKS: '127.0.0.1',
  GUILDHALL_IMPORT_LIMITS: 'againSeconds=0,silentSeconds=5',
  GUILDHALL_LIMITS: 'off',
}

export async function startTwoServers(engine: Engine, options: ServerOptions = {}): Promise<TwoServers> {
  const [source, server] = await Promise.all([
    startGitServer(),
    startServer(engine, { ...options, environment: { ...importing, ...options.environment } }),
  ])
  const ann = await makeUser(server, 'ann')
  const bob = await makeUser(server, 'bob')
  return {
    ...{ source, server, ann, bob },
    async stop() {
      await server.stop()
      await source.stop()
    },
  }
}

export const sourceUrl = ({ source }: Pick<TwoServers, 'source'>, name: string): string =>
  `${source.server.url}/${name}.git`

/** Once no fetch is asked for or under way, whatever came of the last one. */
export async function whenFetched(client: RestClient, name: string): Promise<Json> {
  const read = async () => (await client.get(`/repos/${name}/import`)).body
  await until(async () => /^(?:complete|failed)$/.test((await read()).status))
  return read()
}
