/** Signing in: Basic with a password or a token, that of a session too, or Bearer. Cookies are not accepted here. */
import { createHmac, randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type Actor, anonymous } from '../../accounts/actor.ts'
import type { Sessions } from '../../accounts/sign-in/sessions.ts'
import { hasTokenForm } from '../../accounts/tokens/token-text.ts'
import type { Identify } from '../identity/identify.ts'

type Needs = {
  sessions: Pick<Sessions, 'verify' | 'findVerified' | 'open'>
  identify: Identify
  identifyByBasic: Identify
}

const rememberedMs = 5 * 60_000
const mostRemembered = 10_000

export function makeSigningIn({ sessions, identify, identifyByBasic }: Needs) {
  const key = randomBytes(32)
  /** Maps to the stored hash of the password that was verified: a new password makes the entry useless. */
  const remembered = new LRUCache<string, string>({ max: mostRemembered, ttl: rememberedMs })

  async function byPassword(name: string, password: string, address: string): Promise<Actor> {
    const place = createHmac('sha256', key)
      .update(JSON.stringify([name.toLowerCase(), password]))
      .digest('base64')
    const known = remembered.get(place)
    const found = known === undefined ? undefined : await sessions.findVerified(name, known)
    if (found) return { account: found, credential: { kind: 'session', hash: '' }, address }
    const { account, stored } = await sessions.verify(anonymous(address), name, password)
    remembered.set(place, stored)
    return { account, credential: { kind: 'session', hash: '' }, address }
  }

  return async (request: FastifyRequest): Promise<Actor> => {
    const { authorization } = request.headers
    if (authorization === undefined) return anonymous(request.ip)
    const basic = /^basic +(\S+) *$/i.exec(authorization)
    const { ip, protocol, host, socket } = request
    const bare = { headers: { authorization }, ip, protocol, host, socket }
    if (!basic) return identify(bare)
    const text = Buffer.from(basic[1]!, 'base64').toString('utf8').replaceAll('\0', '')
    const colon = text.indexOf(':')
    const password = colon < 0 ? '' : text.slice(colon + 1)
    if (password === '' || hasTokenForm(password)) return identifyByBasic(bare)
    const name = text.slice(0, colon)
    const session = await sessions.open(password, ip)
    const isOwn = session?.actor.account.name.toLowerCase() === name.toLowerCase()
    if (isOwn) return identify({ ...bare, headers: { authorization: `Bearer ${password}` } })
    return byPassword(name, password, ip)
  }
}
