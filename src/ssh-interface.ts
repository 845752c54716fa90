/** Git over SSH: loaded only if a port for it is set, since its library is large. */
import type { FastifyInstance } from 'fastify'
import { generateHostKey } from './api/git/ssh/host-key-generation.ts'
import { makeSsh, type SshServer } from './api/git/ssh/ssh.ts'
import { originOf } from './api/identity/origin.ts'
import { readHostKeys } from './forge/keys/host-keys.ts'
import type { Budgets } from './http/byte-budget.ts'
import type { Services } from './services.ts'

export async function makeSshInterface(app: FastifyInstance, services: Services, budgets: Budgets): Promise<SshServer> {
  const { settings, log, forge, credentialLockout: lockout } = services
  const originAt = (localAddress: string) => {
    const address = app.server.address()
    const socket = { localAddress, localPort: typeof address === 'object' ? address?.port : undefined }
    return originOf({ protocol: 'http', host: '', socket } as Parameters<typeof originOf>[0], settings.baseUrl)
  }
  return makeSsh({
    ...{ log, lockout, originAt },
    opening: forge.opening,
    serving: forge.serving,
    wikis: forge.wikis,
    sshKeys: forge.sshKeys,
    singleSignOn: forge.singleSignOn,
    budget: budgets.memory,
    bounds: settings.quotas,
    idleMs: settings.gitIdleSeconds * 1000,
    place: forge.ssh,
    hostKeys: await readHostKeys(settings.dataFolder, generateHostKey),
  })
}
