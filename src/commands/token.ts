/** `token add | list | revoke`: tokens of every kind. A token is shown once; a running server accepts it at once. */
import { tokenKinds } from '../accounts/tokens/token-text.ts'
import { OperatorError } from '../lib/failure.ts'
import { alignColumns, showTime } from './command-line/columns.ts'
import { defineCommand } from './command-line/command.ts'
import { findUser, withServices } from './command-line/with-services.ts'
import {
  expiresByItself,
  readExpiry,
  readKind,
  readPermissions,
  readRepositories,
  readScopes,
  takesScopes,
} from './token/token-options.ts'
import { demandRepositories, describeLack, describeRepositories } from './token/token-reach.ts'

export const tokenAdd = defineCommand({
  name: 'token add',
  summary: 'Makes a token for an account and prints it, this once.',
  words: ['NAME'],
  options: {
    kind: { type: 'string', hint: 'KIND', sentence: `One of ${tokenKinds.join(', ')}.`, isRequired: true },
    scopes: {
      type: 'string',
      hint: 'A,B',
      sentence: 'For classic and oauth: such as repo,notifications,judge; or all.',
    },
    permissions: {
      type: 'string',
      hint: 'A=LEVEL,B=LEVEL',
      sentence: 'For the other kinds: such as contents=read,issues=write.',
    },
    repositories: {
      type: 'string',
      hint: 'all|ID,ID',
      sentence: 'For the other kinds: the repositories it can access.',
    },
    'resource-owner': {
      type: 'string',
      hint: 'LOGIN',
      sentence:
        'For fine-grained: the owner of what it covers: the account itself (default) or an organisation it is in.',
    },
    expires: {
      type: 'string',
      hint: 'WHEN',
      sentence: 'A time such as 2027-01-31T12:00:00Z, or a span: 90m, 12h, 30d.',
    },
    note: { type: 'string', hint: 'TEXT', sentence: 'What it is for.' },
  },
  notes: [
    'Installation and workflow tokens live one hour unless told otherwise; a workflow token opens one repository.',
  ],
  async run({ words: [name = ''], options, environment }) {
    const kind = readKind(options.kind!)
    const hasScopes = takesScopes(kind)
    refuseOther(kind, hasScopes ? ['permissions', 'repositories'] : ['scopes'], options)
    if (!ownerKinds.has(kind)) refuseOther(kind, ['resource-owner'], options)
    const repositories = readRepositories(options.repositories)
    if (kind === 'workflow' && !(Array.isArray(repositories) && repositories.length === 1)) {
      throw new OperatorError('A workflow token opens one repository: give its id with --repositories.')
    }
    const expiresAt = readExpiry(options.expires ?? (expiresByItself(kind) ? '60m' : undefined), Date.now())
    const draft = {
      kind,
      note: options.note ?? '',
      scopes: readScopes(options.scopes),
      permissions: readPermissions(options.permissions),
      repositories,
      ...(options['resource-owner'] !== undefined && { resourceOwner: options['resource-owner'] }),
      ...(expiresAt && { expiresAt }),
    }
    const made = await withServices(environment, async (services) => {
      const account = await findUser(services, name)
      if (typeof repositories !== 'string') await demandRepositories(services, account, repositories)
      return services.tokens.make(account, draft)
    })
    // Only the token goes to the standard output, for `TOKEN=$(… token add …)`.
    process.stderr.write(`Token ${made.token.id} of ${name}, ${kind}. It is shown only once:\n`)
    process.stdout.write(`${made.text}\n`)
    const lack = describeLack(made.token)
    if (lack) process.stderr.write(`${lack}\n`)
  },
})

export const tokenList = defineCommand({
  name: 'token list',
  summary: 'Lists the tokens of an account, by their last characters.',
  words: ['NAME'],
  async run({ words: [name = ''], environment }) {
    const tokens = await withServices(environment, async (services) =>
      services.tokens.list(await findUser(services, name)),
    )
    const rows = tokens.map((token) => [
      String(token.id),
      token.kind,
      `…${token.hint}`,
      [...token.scopes, ...Object.entries(token.permissions).map((pair) => pair.join('='))].join(',') || '-',
      describeRepositories(token),
      token.resourceOwner?.name ?? '-',
      showTime(token.expiresAt),
      showTime(token.lastUsedAt),
      token.note,
    ])
    const heads = ['ID', 'KIND', 'TOKEN', 'MAY', 'REPOSITORIES', 'OF', 'EXPIRES (UTC)', 'LAST USED', 'NOTE']
    process.stdout.write(alignColumns(heads, rows))
  },
})

export const tokenRevoke = defineCommand({
  name: 'token revoke',
  summary: 'Ends a token at once, by its id.',
  words: ['ID'],
  async run({ words: [given = ''], environment }) {
    if (!/^\d{1,15}$/.test(given)) throw new OperatorError('Give the id of a token: token list shows it.')
    await withServices(environment, ({ tokens }) => tokens.revoke(Number(given)))
    process.stdout.write(`Token ${given} is revoked.\n`)
  },
})

/** Kinds that are for one account's resources. */
const ownerKinds: ReadonlySet<string> = new Set(['fine-grained', 'app-user'])

function refuseOther(kind: string, wrong: readonly string[], options: Readonly<Record<string, unknown>>): void {
  const given = wrong.find((name) => options[name] !== undefined)
  if (given) throw new OperatorError(`A token of the kind ${kind} has no ${given}.`)
}
