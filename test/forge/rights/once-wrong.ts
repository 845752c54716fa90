/** Sequences that once came out otherwise than the model says: each is a breach that was mended. */
import type { Step } from './act.ts'

type Sequence = { readonly what: string; readonly steps: readonly Step[] }

const step = (by: string, act: string, params: Step['params']): Step => ({ by, act, params })

const acme = step('admin', 'make an organisation', { org: 'acme', owner: 'ann' })
const member = (user: string) => step('admin', 'set a membership', { org: 'acme', user, role: 'member' })
const closedBase = step('ann', 'change an organisation', {
  org: 'acme',
  body: { default_repository_permission: 'none' },
})
const repository = (name: string, isPrivate: boolean) =>
  step('ann', 'make a repository of an organisation', { org: 'acme', name, isPrivate })
const team = (by: string, name: string, privacy = 'closed') => step(by, 'make a team', { org: 'acme', name, privacy })
const give = (by: string, level: string) =>
  step(by, 'give a team a repository', { org: 'acme', team: 'crew', repository: 'acme/closed', level })
const token = (kind: string, account: string, permissions: object, repositories: unknown = 'all', owner?: string) =>
  step('admin', 'make a token for someone', {
    name: `${account}-${kind}`,
    kind,
    account,
    scopes: [],
    permissions,
    repositories,
    ...(owner !== undefined && { owner }),
  })
const bare = (account: string, ...scopes: string[]) =>
  step('admin', 'make a token for someone', {
    name: `${account}-bare`,
    kind: 'classic',
    account,
    scopes,
    permissions: {},
    repositories: 'none',
  })

/** What an organisation shows and lets be done, for one who owns it. */
const ofAcme = (by: string): Step[] => [
  step(by, 'get an organisation', { org: 'acme' }),
  step(by, 'change an organisation', { org: 'acme', body: { default_repository_permission: 'none' } }),
  step(by, 'list members', { org: 'acme' }),
  step(by, 'set a membership', { org: 'acme', user: 'cid', role: 'admin' }),
  step(by, 'list own memberships', {}),
  step(by, 'list own teams', {}),
  step(by, 'list an organisation’s repositories', { org: 'acme' }),
  step(by, 'get a repository', { repository: 'acme/closed' }),
  step(by, 'begin a clone', { repository: 'acme/closed' }),
  step(by, 'make a repository of an organisation', { org: 'acme', name: 'made', isPrivate: false }),
]
const wide = { members: 'write', organization_administration: 'write', administration: 'write', contents: 'write' }

export const onceWrong: readonly Sequence[] = [
  {
    what: 'a fine-grained token for what is one’s own changes an organisation, and reads what is private of it',
    steps: [
      acme,
      repository('closed', true),
      team('ann', 'crew'),
      step('ann', 'make a repository of one’s own', { name: 'own', isPrivate: true }),
      token('fine-grained', 'ann', wide, ['ann/own']),
      token('app-user', 'ann', wide),
      ...ofAcme('ann-fine-grained'),
      ...ofAcme('ann-app-user'),
    ],
  },
  {
    what: 'a fine-grained token makes a repository beside those that were chosen',
    steps: [
      acme,
      repository('closed', true),
      token('fine-grained', 'ann', wide, ['acme/closed'], 'acme'),
      step('ann-fine-grained', 'make a repository of an organisation', { org: 'acme', name: 'made', isPrivate: false }),
      step('ann-fine-grained', 'make a repository of one’s own', { name: 'made', isPrivate: false }),
    ],
  },
  {
    what: 'a fine-grained token for an organisation has what is its person’s own',
    steps: [
      acme,
      step('ann-session', 'make a data set', { name: 'd1' }),
      step('ann', 'make a repository of one’s own', { name: 'own', isPrivate: true }),
      token('fine-grained', 'ann', { ...wide, datasets: 'write', email_addresses: 'read' }, 'all', 'acme'),
      step('ann-fine-grained', 'get a repository', { repository: 'ann/own' }),
      step('ann-fine-grained', 'list own data sets', {}),
      step('ann-fine-grained', 'get a data set', { key: 'ann~d1', byName: false }),
      step('ann-fine-grained', 'get oneself', {}),
      step('ann-fine-grained', 'list own addresses', {}),
    ],
  },
  {
    what: 'a member makes a team below one that has a private repository, and has it',
    steps: [
      acme,
      closedBase,
      member('bob'),
      repository('closed', true),
      team('ann', 'crew'),
      give('ann', 'admin'),
      step('bob', 'make a team', { org: 'acme', name: 'mine', privacy: 'closed', parent: 'crew' }),
      step('bob', 'get a repository', { repository: 'acme/closed' }),
    ],
  },
  {
    what: 'a maintainer moves a team below one of others',
    steps: [
      acme,
      closedBase,
      member('bob'),
      repository('closed', true),
      team('ann', 'crew'),
      give('ann', 'admin'),
      team('bob', 'mine'),
      step('bob', 'move a team', { org: 'acme', team: 'mine', parent: 'crew' }),
      step('bob', 'begin a push', { repository: 'acme/closed' }),
    ],
  },
  {
    what: '`members=write` alone gives a team a repository',
    steps: [
      acme,
      repository('closed', true),
      team('ann', 'crew'),
      token('fine-grained', 'ann', { members: 'write' }, 'all', 'acme'),
      give('ann-fine-grained', 'admin'),
    ],
  },
  {
    what: 'tokens without scopes and permissions show what only owners see',
    steps: [
      acme,
      repository('closed', true),
      bare('ann'),
      token('fine-grained', 'ann', {}, 'all', 'acme'),
      ...['ann-bare', 'ann-fine-grained', 'admin-bare', 'admin-fine'].flatMap((by) => [
        step(by, 'get an organisation', { org: 'acme' }),
        step(by, 'list members', { org: 'acme' }),
        step(by, 'check a member', { org: 'acme', user: 'ann' }),
        step(by, 'list a user’s organisations', { user: 'ann' }),
        step(by, 'list an organisation’s repositories', { org: 'acme' }),
        step(by, 'get a user', { user: 'ann' }),
      ]),
    ],
  },
  {
    what: 'a workflow token shows what its user sees',
    steps: [
      acme,
      repository('closed', true),
      repository('open', false),
      token('workflow', 'ann', { contents: 'read' }, ['acme/open']),
      step('ann-workflow', 'get an organisation', { org: 'acme' }),
      step('ann-workflow', 'list members', { org: 'acme' }),
      step('ann-workflow', 'list an organisation’s repositories', { org: 'acme' }),
      step('ann-workflow', 'set a subscription', { repository: 'acme/open', ignored: false }),
      step('ann-workflow', 'delete a subscription', { repository: 'acme/open' }),
    ],
  },
  {
    what: 'tokens for reading accept invitations and watch',
    steps: [
      step('bob', 'make a repository of one’s own', { name: 'hidden', isPrivate: true }),
      step('bob', 'add a collaborator', { repository: 'bob/hidden', user: 'ann', level: 'write' }),
      token('fine-grained', 'ann', { contents: 'read', administration: 'read' }),
      step('ann-fine-grained', 'accept an invitation', { repository: 'bob/hidden', user: 'ann' }),
      step('ann', 'accept an invitation', { repository: 'bob/hidden', user: 'ann' }),
      step('ann-fine-grained', 'set a subscription', { repository: 'bob/hidden', ignored: true }),
    ],
  },
  {
    what: 'a stranger reads what others may do with a public repository',
    steps: [
      step('ann', 'make a repository of one’s own', { name: 'shown', isPrivate: false }),
      step('bob', 'get a user’s permission', { repository: 'ann/shown', user: 'cid' }),
    ],
  },
  {
    what: 'an admin of a repository from outside sees a secret team',
    steps: [
      acme,
      repository('closed', true),
      team('ann', 'crew', 'secret'),
      give('ann', 'read'),
      step('ann', 'add a collaborator', { repository: 'acme/closed', user: 'bob', level: 'admin' }),
      step('bob', 'accept an invitation', { repository: 'acme/closed', user: 'bob' }),
      step('bob', 'list a repository’s teams', { repository: 'acme/closed' }),
    ],
  },
  {
    what: 'a suspended owner counts as the other owner',
    steps: [
      acme,
      step('admin', 'set a membership', { org: 'acme', user: 'bob', role: 'admin' }),
      step('admin', 'suspend a user', { user: 'bob' }),
      step('ann', 'set a membership', { org: 'acme', user: 'ann', role: 'member' }),
      step('ann', 'remove from an organisation’s members', { org: 'acme', user: 'ann' }),
    ],
  },
  {
    what: 'another’s address is taken for commits',
    steps: [
      step('bob', 'take another’s address', { user: 'ann', isHidden: true }),
      step('bob', 'take another’s address', { user: 'ann', isHidden: false }),
    ],
  },
  {
    what: 'a fine-grained token shows an address and organisations that it was not given',
    steps: [
      acme,
      token('fine-grained', 'ann', { contents: 'read' }, 'all', 'acme'),
      step('ann-fine-grained', 'get oneself', {}),
      step('ann-fine-grained', 'list own organisations', {}),
    ],
  },
  {
    what: 'an archived repository is renamed while it is taken out of the archive',
    steps: [
      step('ann', 'make a repository of one’s own', { name: 'shown', isPrivate: false }),
      step('ann', 'change a repository', { repository: 'ann/shown', body: { archived: true } }),
      step('ann', 'change an archived repository while ending that', { repository: 'ann/shown' }),
    ],
  },
  {
    what: 'every token is full power on data sets',
    steps: [
      step('ann-session', 'make a data set', { name: 'd1' }),
      bare('ann'),
      token('fine-grained', 'ann', { contents: 'read' }),
      ...['ann-banned', 'ann-bare', 'ann-fine-grained'].flatMap((by) => [
        step(by, 'make a data set', { name: 'd2' }),
        step(by, 'list own data sets', {}),
        step(by, 'read a data set’s items', { key: 'ann~d1', byName: false }),
        step(by, 'push an item', { key: 'ann~d1', byName: false }),
        step(by, 'share a data set', { key: 'ann~d1', byName: true, access: 'ANYONE_WITH_ID_CAN_READ' }),
        step(by, 'delete a data set', { key: 'ann~d1', byName: false }),
      ]),
      step('ann-session', 'share a data set', { key: 'ann~d1', byName: true, access: 'ANYONE_WITH_ID_CAN_READ' }),
      step('ann-fine-grained', 'get a data set', { key: 'ann~d1', byName: false }),
      step('ann-fine-grained', 'get a data set', { key: 'ann~d1', byName: true }),
    ],
  },
  {
    what: 'an invitation to own is held fast by there being no other owner who can act',
    steps: [
      acme,
      step('ann', 'set a membership', { org: 'acme', user: 'bob', role: 'admin' }),
      step('admin', 'suspend a user', { user: 'ann' }),
      step('admin', 'remove from an organisation’s memberships', { org: 'acme', user: 'bob' }),
    ],
  },
  {
    what: 'an owner’s invitations go when somebody takes the owner from the collaborators, where they never were',
    steps: [
      acme,
      repository('open', false),
      step('ann', 'add a collaborator', { repository: 'acme/open', user: 'bob', level: 'write' }),
      step('admin', 'remove a collaborator', { repository: 'acme/open', user: 'ann' }),
      step('ann', 'list invitations', { repository: 'acme/open' }),
    ],
  },
]
