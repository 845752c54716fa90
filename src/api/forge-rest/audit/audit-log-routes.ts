/** The audit log of the whole server, which is one enterprise, and of an organisation. */
import type { AuditEntry, AuditFilter, AuditLog } from '../../../accounts/audit/audit-log.ts'
import { invalidField, notFound } from '../../../forge/failures.ts'
import { organisation, siteAdmin } from '../doors.ts'
import { parseTime, type Query } from '../query.ts'
import { ok, type RestAnswer } from '../rest-answer.ts'
import { type ForgeCall, type Route, route } from '../route.ts'

/** The name of the one enterprise, which is this server. */
const enterprise = 'guildhall'

const qualifiers = ['action', 'actor', 'user', 'repo', 'created'] as const

/** `action:org.add_member actor:ann created:>=2026-01-01`; a bare word is the prefix of an action. */
function readPhrase(phrase: string): Omit<AuditFilter, 'category'> {
  const found: { -readonly [K in keyof AuditFilter]?: AuditFilter[K] } = {}
  for (const word of phrase.split(/\s+/).filter(Boolean)) {
    const [, name = 'action', value = ''] = /^(?:(\w+):)?(.*)$/s.exec(word) ?? []
    if (!(qualifiers as readonly string[]).includes(name))
      throw invalidField('phrase', 'invalid', `The qualifiers are ${qualifiers.join(', ')}.`)
    if (name === 'action') found.action = value.toLowerCase()
    if (name === 'actor') found.actor = value
    if (name === 'user') found.user = value
    if (name === 'repo') found.repository = value
    if (name === 'created') readTimes(value, found)
  }
  return found
}

function readTimes(value: string, found: { since?: AuditFilter['since']; until?: AuditFilter['until'] }): void {
  const [, sign = '', time = ''] = /^(>=|<=|>|<)?(.*)$/s.exec(value) ?? []
  const [from = '', to] = time.split('..')
  const at = parseTime('phrase', from)
  if (to !== undefined) Object.assign(found, { since: at, until: parseTime('phrase', to) })
  else if (sign.startsWith('>')) found.since = at
  else if (sign.startsWith('<')) found.until = at
  else Object.assign(found, { since: at, until: new Date(at.getTime() + 86_400_000) })
}

/** Opaque to clients: an id, encoded so that nobody relies on it. */
const toCursor = (id: number): string => Buffer.from(`entry:${id}`).toString('base64url')

function readCursor(query: Query, name: 'after' | 'before'): number | undefined {
  const text = query.text(name)
  if (text === undefined) return undefined
  const [, id] = /^entry:([1-9]\d{0,14})$/.exec(Buffer.from(text, 'base64url').toString()) ?? []
  if (id === undefined) throw invalidField(name, 'invalid', `${name} must be a cursor that a Link header gave.`)
  return Number(id)
}

const presentEntry = (entry: AuditEntry) => ({
  '@timestamp': entry.created_at,
  _document_id: entry.document_id,
  action: entry.action,
  created_at: entry.created_at,
  ...(entry.actor_id !== null && { actor: entry.actor_name ?? '', actor_id: entry.actor_id }),
  actor_ip: entry.address,
  programmatic_access_type: entry.credential,
  ...(entry.token_id !== null && { token_id: entry.token_id }),
  ...(entry.organisation_id !== null && { org: entry.organisation_name ?? '', org_id: entry.organisation_id }),
  ...(entry.repository_id !== null && { repo: entry.repository_name ?? '', repo_id: entry.repository_id }),
  ...(entry.user_id !== null && { user: entry.user_name ?? '', user_id: entry.user_id }),
  business: enterprise,
  operation_type: operationOf(entry.action),
  data: JSON.parse(entry.data),
})

function operationOf(action: string): string {
  if (/\.(?:create|add_|invite_)/.test(action)) return 'create'
  if (/\.(?:destroy|remove_)/.test(action)) return 'remove'
  return /\.(?:login|failed_login)/.test(action) ? 'authentication' : 'modify'
}

async function listEntries(
  auditLog: AuditLog,
  call: ForgeCall,
  organisationId: number | undefined,
): Promise<RestAnswer> {
  const { query, page, address } = call
  const filter = {
    ...readPhrase(query.text('phrase') ?? ''),
    category: query.oneOf('include', ['web', 'git', 'all'], 'web'),
    organisationId,
  }
  const [after, before] = [readCursor(query, 'after'), readCursor(query, 'before')]
  if (after !== undefined && before !== undefined)
    throw invalidField('after', 'invalid', 'Give after or before, not both.')
  const order = query.oneOf('order', ['asc', 'desc'], 'desc')
  const { entries, isMore } = await auditLog.list(filter, { order, after, before, limit: page.limit })
  const linkTo = (name: 'after' | 'before', id: number, rel: string) => {
    const [path, given] = address.split(/\?(.*)/s, 2)
    const words = new URLSearchParams(given)
    words.delete('after')
    words.delete('before')
    words.set(name, toCursor(id))
    return `<${path}?${words}>; rel="${rel}"`
  }
  const [first, last] = [entries[0], entries.at(-1)]
  const isBack = before !== undefined
  const links = [
    ...(last && (isBack || isMore) ? [linkTo('after', last.id, 'next')] : []),
    ...(first && (isBack ? isMore : after !== undefined) ? [linkTo('before', first.id, 'prev')] : []),
  ]
  return ok(entries.map(presentEntry), links.length > 0 ? { link: links.join(', ') } : undefined)
}

const words =
  '`phrase` (`action:`, `actor:`, `user:`, `repo:`, `created:`), `include`, `order`, `per_page` (30, 100 at most), and `after` or `before`, which `Link` gives.'

export const auditLogRoutes = ({ auditLog }: { auditLog: AuditLog }): readonly Route[] => [
  route('GET /enterprises/:enterprise/audit-log', {
    id: 'get-the-audit-log-for-an-enterprise',
    summary: `Who did what to access, on the whole server (the enterprise \`${enterprise}\`), newest first: ${words}`,
    door: siteAdmin,
    scopes: ['read:audit_log', 'site_admin'],
    limit: 'audit_log',
    async handle(call) {
      if (call.params.enterprise.toLowerCase() !== enterprise) throw notFound()
      return listEntries(auditLog, call, undefined)
    },
  }),
  route('GET /orgs/:org/audit-log', {
    id: 'get-the-audit-log-for-an-organization',
    summary: `The same, of an organization and its repositories: ${words}`,
    door: organisation('owner'),
    scopes: ['read:audit_log', 'admin:org'],
    permission: 'organization_administration=read',
    limit: 'audit_log',
    handle: (call) => listEntries(auditLog, call, call.target.organisation.id),
  }),
]
