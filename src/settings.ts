/** Every setting, its default and its description. A test keeps docs/settings.md the same. */

import type { BlockList } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { accountNameRule, isAccountName } from './accounts/account-rules.ts'
import { defaultQuotas } from './accounts/quotas.ts'
import { omissions } from './executor/sandboxes/omissions.ts'
import { defaultFileLimits } from './forge/files/file-limits.ts'
import { defaultGitLimits } from './forge/git/process/git-limits.ts'
import { type Figures, parseFigures } from './forge/limits/figures.ts'
import { makeNetworks } from './forge/outbound/destination.ts'
import { defaultSourceLimits } from './forge/sources/source-limits.ts'
import { defaultWebhookLimits } from './forge/webhooks/webhook-limits.ts'
import { defaultLimits } from './judge/limits.ts'
import { OperatorError } from './lib/failure.ts'

type Setting<T> = {
  readonly name: string
  readonly sentence: string
  readonly shown: string
  read(text: string | undefined): T
}

export const settingList = {
  port: whole('GUILDHALL_PORT', 8080, 0, 65_535, 'The port to listen on; 0 picks a free one.'),
  sshPort: optional(
    'GUILDHALL_SSH_PORT',
    asPort,
    'The port for git over SSH, on the same address; 0 picks a free one. If unset, git is served only over HTTP, and `ssh_url` does not work.',
  ),
  host: text('GUILDHALL_HOST', '127.0.0.1', 'The address to listen on; 0.0.0.0 for every network.'),
  dataFolder: folder(
    'GUILDHALL_DATA',
    './data',
    'The folder of the embedded database, the repositories and the files.',
  ),
  baseUrl: optional(
    'GUILDHALL_BASE_URL',
    asBaseUrl,
    'The address people reach the server by, as in https://guild.example.org; unset, each request’s own host.',
  ),
  databaseUrl: optional(
    'DATABASE_URL',
    asPostgresUrl,
    'A PostgreSQL address (postgres://…) to use in place of the embedded database.',
  ),
  databaseConnections: whole(
    'GUILDHALL_DATABASE_CONNECTIONS',
    10,
    2,
    1000,
    'How many connections to PostgreSQL this server uses for its queries; it holds one more to listen. All servers’ together must stay below PostgreSQL’s max_connections.',
  ),
  adminName: named('GUILDHALL_ADMIN_NAME', 'admin', 'The first admin’s account name (first start only).'),
  adminPassword: optional(
    'GUILDHALL_ADMIN_PASSWORD',
    asPassword,
    'The first admin’s password, 8 to 256 characters (first start only); unset, one is drawn and printed once.',
  ),
  adminToken: optional(
    'GUILDHALL_ADMIN_TOKEN',
    asAdminToken,
    'A classic token with every scope for the first admin, 20 characters or more (first start only).',
  ),
  executors: whole(
    'GUILDHALL_EXECUTORS',
    availableParallelism(),
    0,
    1024,
    'How many programs the executor inside runs at a time; 0 for no executor.',
    'the number of cores',
  ),
  languagesFile: optional(
    'GUILDHALL_LANGUAGES',
    (path) => path,
    'A file with more languages for the executor inside; docs/executor.md has the form.',
  ),
  executorWithout: optional(
    'GUILDHALL_EXECUTOR_WITHOUT',
    asOmissions,
    'Protections that the built-in executor may do without, by name, as in limits: without a cgroup, programs may take more memory and time than their limits. docs/executor.md lists them all.',
  ),
  limits: oneOf('GUILDHALL_LIMITS', ['on', 'off'], 'Whether rate limits and quotas are enforced.'),
  judgeLimits: numbers(
    'GUILDHALL_JUDGE_LIMITS',
    defaultLimits,
    'docs/judge.md',
    'Overrides of the judge’s limits in docs/judge.md, by name, as in sourceBytes=128000,examples=50.',
  ),
  limitFigures: figures(
    'GUILDHALL_LIMIT_FIGURES',
    'Overrides of the forge’s rate limits, as in user=10000, points=2000; docs/forge.md names them.',
  ),
  quotas: numbers(
    'GUILDHALL_QUOTAS',
    defaultQuotas,
    'docs/operating.md',
    'Overrides of the quotas in docs/operating.md, by name, as in repositories=100,sessions=50.',
  ),
  pushLimitMib: whole('GUILDHALL_PUSH_LIMIT_MIB', 4096, 1, 1024 * 1024, 'The largest accepted push, in MiB.'),
  gitLimits: numbers(
    'GUILDHALL_GIT_LIMITS',
    defaultGitLimits,
    'docs/forge.md',
    'Overrides of the bounds of git’s processes in docs/forge.md, by name, as in readSeconds=30,archiveMib=512.',
  ),
  fileLimits: numbers(
    'GUILDHALL_FILE_LIMITS',
    defaultFileLimits,
    'docs/forge.md',
    'Overrides of the limits of uploaded files in docs/forge.md, by name, as in assetMib=512,attachmentMib=10.',
  ),
  gitIdleSeconds: whole(
    'GUILDHALL_GIT_IDLE_SECONDS',
    300,
    1,
    86_400,
    'A git client that neither sends nor reads for this many seconds is cut off.',
  ),
  markedAtOnce: whole(
    'GUILDHALL_MARKED_AT_ONCE',
    1_000,
    0,
    1_000_000,
    'How many notifications a request marks as read itself; more are marked in the background.',
  ),
  submissionsRepository: optional(
    'GUILDHALL_SUBMISSIONS_REPOSITORY',
    asRepository,
    'The repository, as owner/name, in whose name finished submissions come to their authors’ notifications (reason ci_activity); unset, they do not.',
  ),
  organisationMakers: oneOf(
    'GUILDHALL_ORGANIZATIONS',
    ['admins', 'everyone'],
    'Who makes organizations: the server’s admins (admins), or every account (everyone), which then owns what it makes. Admins see them all.',
  ),
  auditDays: whole('GUILDHALL_AUDIT_DAYS', 180, 30, 36_500, 'For how many days the audit log is kept.'),
  webhookNetworks: networks(
    'GUILDHALL_WEBHOOK_NETWORKS',
    'Parts of your own network that webhooks may call, as in 10.1.0.0/16,192.168.1.7; without it they can call only the internet.',
  ),
  webhookLimits: numbers(
    'GUILDHALL_WEBHOOK_LIMITS',
    defaultWebhookLimits,
    'docs/forge.md',
    'Overrides of the bounds of webhooks in docs/forge.md, by name, as in hooks=50,answerSeconds=5.',
  ),
  importNetworks: networks(
    'GUILDHALL_IMPORT_NETWORKS',
    'Parts of your own network that repositories may be imported and mirrored from, as in 10.1.0.0/16,192.168.1.7, also without TLS; without it only the internet, by https.',
  ),
  sourceLimits: numbers(
    'GUILDHALL_IMPORT_LIMITS',
    defaultSourceLimits,
    'docs/moving.md',
    'Overrides of the bounds of imports and mirrors in docs/moving.md, by name, as in minutes=30,leastMinutes=5.',
  ),
  logLevel: oneOf('GUILDHALL_LOG', ['info', 'trace', 'debug', 'warn', 'error', 'fatal', 'silent'], 'The log level.'),
  plainIssuers: optional(
    'GUILDHALL_PLAIN_ISSUERS',
    asOrigins,
    'Origins of OpenID Connect providers that may be reached without TLS, as in http://localhost:9000, separated by commas; others only by https.',
  ),
  ipv6Prefix: whole(
    'GUILDHALL_IPV6_PREFIX',
    64,
    32,
    128,
    'How many bits of an IPv6 address limits and lock-outs count as one client; whoever has one address of a network has them all.',
  ),
  trustProxy: oneOf(
    'GUILDHALL_TRUST_PROXY',
    ['off', 'on'],
    'Whether to trust the reverse proxy in front of the server: the last address in X-Forwarded-For, and X-Forwarded-Proto.',
  ),
} satisfies Record<string, Setting<unknown>>

export type Settings = { readonly [K in keyof typeof settingList]: ReturnType<(typeof settingList)[K]['read']> }

/** A wrong value stops the start with one clear line. An empty variable counts as unset. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const entries = Object.entries(settingList).map(([key, setting]) => {
    const given = environment[setting.name]
    try {
      return [key, setting.read(given === '' ? undefined : given)]
    } catch (error) {
      throw new OperatorError(`${setting.name} ${(error as Error).message}`)
    }
  })
  return Object.fromEntries(entries)
}

/** These variables are for the command line; the server does not use them. */
const commandNames = ['GUILDHALL_SERVER', 'GUILDHALL_TOKEN', 'GUILDHALL_EXECUTOR_TOKEN']

/** Variables that look like settings but are none, most likely misspelled. */
export function listUnknownNames(environment: NodeJS.ProcessEnv): string[] {
  const known = [...Object.values(settingList).map(({ name }) => name), ...commandNames]
  return Object.keys(environment).filter((name) => name.startsWith('GUILDHALL_') && !known.includes(name))
}

function text(name: string, initial: string, sentence: string): Setting<string> {
  return { name, sentence, shown: initial, read: (given) => given ?? initial }
}

function folder(name: string, initial: string, sentence: string): Setting<string> {
  return { name, sentence, shown: initial, read: (given) => resolve(given ?? initial) }
}

function named(name: string, initial: string, sentence: string): Setting<string> {
  const read = (given = initial) => {
    if (!isAccountName(given)) throw new Error(`must be ${accountNameRule}.`)
    return given
  }
  return { name, sentence, shown: initial, read }
}

function whole(
  name: string,
  initial: number,
  least: number,
  most: number,
  sentence: string,
  shown = String(initial),
): Setting<number> {
  const read = (given?: string) => {
    if (given === undefined) return initial
    const value = /^\d+$/.test(given) ? Number(given) : Number.NaN
    if (!(value >= least && value <= most)) {
      throw new Error(`must be a whole number from ${least} to ${most}, not ${JSON.stringify(given)}.`)
    }
    return value
  }
  return { name, sentence, shown, read }
}

function oneOf<const T extends string>(name: string, allowed: readonly [T, ...T[]], sentence: string): Setting<T> {
  const read = (given?: string) => {
    const found = given === undefined ? allowed[0] : allowed.find((value) => value === given)
    if (found === undefined) throw new Error(`must be ${allowed.join(' or ')}, not ${JSON.stringify(given)}.`)
    return found
  }
  return { name, sentence, shown: allowed[0], read }
}

/** Reads some of the named numbers; the others keep their defaults. */
function numbers<T extends Record<string, number>>(
  name: string,
  initial: T,
  page: string,
  sentence: string,
): Setting<T> {
  const read = (given?: string) => {
    const chosen = (given?.split(',') ?? []).map((pair) => {
      const [, key = '', value] = /^\s*(\w+)\s*=\s*(\d{1,15})\s*$/.exec(pair) ?? []
      if (!Object.hasOwn(initial, key)) {
        const known = Object.keys(initial).join(', ')
        throw new Error(
          `must be a list such as ${Object.keys(initial)[0]}=1000; ${JSON.stringify(pair)} is not one of ${known}.`,
        )
      }
      return [key, Number(value)]
    })
    return { ...initial, ...Object.fromEntries(chosen) }
  }
  return { name, sentence, shown: `(as in ${page})`, read }
}

function figures(name: string, sentence: string): Setting<Figures> {
  return { name, sentence, shown: '(unset)', read: (given) => parseFigures(given ?? '') }
}

function networks(name: string, sentence: string): Setting<BlockList> {
  const read = (given = '') =>
    makeNetworks(
      given
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    )
  return { name, sentence, shown: '(unset)', read }
}

function optional<T>(name: string, parse: (given: string) => T, sentence: string): Setting<T | undefined> {
  return { name, sentence, shown: '(unset)', read: (given) => (given === undefined ? undefined : parse(given)) }
}

function asBaseUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  const isPlain = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.username
  if (!isPlain) throw new Error('must be an address such as https://guild.example.org, with no path.')
  return url.origin
}

function asPort(given: string): number {
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN
  if (!(port <= 65_535)) throw new Error(`must be a port from 0 to 65535, not ${JSON.stringify(given)}.`)
  return port
}

function asOrigins(given: string): readonly string[] {
  const urls = given.split(',').map((part) => (URL.canParse(part.trim()) ? new URL(part.trim()) : undefined))
  if (urls.some((url) => url?.protocol !== 'http:' || url.pathname !== '/' || url.search))
    throw new Error('must be origins such as http://localhost:9000, separated by commas.')
  return urls.map((url) => url!.origin)
}

function asOmissions(given: string): readonly string[] {
  const names: readonly string[] = omissions
  const words = given.split(',').map((word) => word.trim())
  if (!words.every((word) => names.includes(word))) throw new Error(`must be a list of: ${omissions.join(', ')}.`)
  return words
}

function asRepository(given: string): { readonly owner: string; readonly name: string } {
  const [owner, name, ...more] = given.split('/')
  if (!owner || !name || more.length > 0) throw new Error('must be a repository such as school/exercises.')
  return { owner, name }
}

function asPostgresUrl(given: string): string {
  if (!/^postgres(?:ql)?:\/\//.test(given) || !URL.canParse(given)) {
    throw new Error('must be an address such as postgres://user:password@host:5432/database.')
  }
  return given
}

function asPassword(given: string): string {
  const length = [...given].length
  if (length < 8 || length > 256) throw new Error('must have 8 to 256 characters.')
  return given
}

function asAdminToken(given: string): string {
  if (!/^[\x21-\x7e]{20,}$/.test(given)) throw new Error('must have 20 or more characters, without blanks.')
  return given
}
