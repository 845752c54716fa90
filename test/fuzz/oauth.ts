/** Shots at OAuth: its pages by signed-in browsers and strangers, and where programs ask for tokens, in forms and JSON. */
import { drawCredential } from './credentials.ts'
import type { Random } from './random.ts'
import { accepts, drawEncoding, drawHeaders, type RequestParts } from './shot.ts'
import { drawOddJson, drawOddWord, drawQuery } from './values.ts'
import type { World } from './world.ts'

const pages = ['/login/oauth/authorize', '/login/device', '/login/device/decision', '/settings/applications']
const programs = ['/login/oauth/access_token', '/login/device/code']

const names = [
  ...['client_id', 'client_id', 'client_secret', 'code', 'redirect_uri', 'scope', 'state', 'response_type', 'prompt'],
  ...['code_challenge', 'code_challenge_method', 'code_verifier', 'grant_type', 'device_code', 'refresh_token'],
  ...['user_code', 'decision', 'proof', 'scopes', 'grant', 'name', 'password'],
]

const rightOf = ({ client }: World): Record<string, readonly string[]> => ({
  client_id: [client.id],
  client_secret: [client.secret],
  redirect_uri: ['https%3A%2F%2Ffuzz.example.org%2Fback'],
  scope: ['repo', 'repo%20user', 'read:user,gist'],
  response_type: ['code'],
  code_challenge: ['x'.repeat(43)],
  code_challenge_method: ['S256', 'plain'],
  grant_type: ['refresh_token', 'authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
  user_code: ['BCDF-GHJK'],
  decision: ['allow', 'deny'],
  grant: ['1'],
})

export function drawOAuth(random: Random, world: World): RequestParts {
  const right = rightOf(world)
  const draw = () => drawQuery(random, names, right).slice(1)
  const isPage = random.isChance(0.5)
  const isPost = !isPage || random.isChance(0.5)
  const query = isPage && random.isChance(0.9) ? `?client_id=${world.client.id}&${draw()}` : ''
  const isJson = !isPage && random.isChance(0.3)
  const text = isJson ? drawOddJson(random) : random.isChance(0.7) ? `client_id=${world.client.id}&${draw()}` : draw()
  const { body, headers } = drawEncoding(random, isPost ? text : undefined)
  return {
    method: random.isChance(0.95) ? (isPost ? 'POST' : 'GET') : random.pick(['HEAD', 'PUT', 'DELETE', 'OPTIONS']),
    path: random.pick(isPage ? pages : programs) + query,
    headers: [
      ...drawCredential(random, world.credentials, ['cookie', 'cookie', 'none']),
      ['Content-Type', isJson ? 'application/json' : 'application/x-www-form-urlencoded'],
      ['Accept', random.pick(accepts)],
      ...headers,
      ...(random.isChance(0.1) ? drawHeaders(random) : []),
    ],
    body: body === undefined || random.isChance(0.98) ? body : drawOddWord(random),
    isChunked: random.isChance(0.1),
  }
}
