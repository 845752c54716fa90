/** Acts that notify: an activity's subject, the people it names, and its audience. Pure. */
import type { ConsumedActivity, Mentions } from '../../activity/activity.ts'
import type { Reason } from './reasons.ts'

/** The key of a thread's subject, before the subject has a row. */
export type SubjectKey = {
  readonly repositoryId: number
  readonly kind: 'issue' | 'commit' | 'release' | 'invitation' | 'external'
  readonly key: string
  /** The title at the time of the act, if it can't be read later. */
  readonly title?: string | undefined
  /** Of `external` ones; an address that begins with a slash is one of the repository. */
  readonly type?: string
  readonly url?: string
}

export type NotifyingAct = {
  readonly activityId: number
  readonly actorId: number
  readonly subject: SubjectKey
  readonly own: Reason | undefined
  readonly reach: 'everyone' | 'named'
  readonly users: readonly Naming[]
  readonly teams: readonly Naming[]
  /** Whether the act changes what threads show, also for people who are not notified. */
  readonly isVisible: boolean
  readonly at: number
}

export type Naming = { readonly id: number; readonly reason: Reason }

type Part = Pick<NotifyingAct, 'own' | 'reach' | 'users' | 'teams' | 'isVisible'>

/** Undefined if the activity notifies nobody. */
export function toNotifyingAct(activity: ConsumedActivity): NotifyingAct | undefined {
  const part = describe(activity)
  const subject = part && subjectOf(activity)
  if (!subject) return undefined
  return { activityId: activity.id, actorId: activity.actorId, subject, ...part, at: activity.createdAt.getTime() }
}

function describe(activity: ConsumedActivity): Part | undefined {
  const part = (own: Reason | undefined, reach: Part['reach'], more: Partial<Part> = {}): Part => ({
    own,
    reach,
    users: [],
    teams: [],
    isVisible: false,
    ...more,
  })
  switch (activity.kind) {
    case 'issue-opened': {
      const { users, teams } = mentioned(activity.data.mentions)
      const assigned = activity.data.assigneeIds.map((id): Naming => ({ id, reason: 'assign' }))
      return part('author', 'everyone', { users: [...users, ...assigned], teams })
    }
    case 'release-published':
      return part('author', 'everyone', mentioned(activity.data.mentions))
    case 'issue-edited':
    case 'comment-edited':
      return part(undefined, 'named', { ...mentioned(activity.data.mentions), isVisible: true })
    case 'issue-commented':
    case 'review-commented':
    case 'pull-reviewed':
      return part('comment', 'everyone', { ...mentioned(activity.data.mentions), isVisible: true })
    case 'issue-closed':
    case 'issue-reopened':
    case 'pull-merged':
      return part('state_change', 'everyone')
    case 'pull-pushed':
      return part(undefined, 'everyone')
    case 'issue-assigned':
      return part(undefined, 'everyone', { users: [{ id: activity.data.assigneeId, reason: 'assign' }] })
    case 'review-requested': {
      const { reviewerId, teamId } = activity.data
      return part(undefined, 'everyone', {
        users: reviewerId === undefined ? [] : [{ id: reviewerId, reason: 'review_requested' }],
        teams: teamId === undefined ? [] : [{ id: teamId, reason: 'review_requested' }],
      })
    }
    case 'commit-commented': {
      const { mentions, authorId } = activity.data
      const { users, teams } = mentioned(mentions)
      const author: Naming[] = authorId === null ? [] : [{ id: authorId, reason: 'author' }]
      return part('comment', 'everyone', { users: [...users, ...author], teams, isVisible: true })
    }
    case 'deployment-created': {
      const { users, teams } = activity.data
      if (users.length + teams.length === 0) return undefined
      const ask = (id: number): Naming => ({ id, reason: 'approval_requested' })
      return part(undefined, 'named', { users: users.map(ask), teams: teams.map(ask) })
    }
    case 'repository-invitation':
      return part(undefined, 'named', { users: [{ id: activity.data.inviteeId, reason: 'invitation' }] })
    default:
      return undefined
  }
}

const mentioned = ({ users, teams }: Mentions) => ({
  users: users.map((id): Naming => ({ id, reason: 'mention' })),
  teams: teams.map((id): Naming => ({ id, reason: 'team_mention' })),
})

function subjectOf(activity: ConsumedActivity): SubjectKey | undefined {
  if (!('repositoryId' in activity)) return undefined
  const { repositoryId } = activity
  switch (activity.kind) {
    case 'release-published':
      return { repositoryId, kind: 'release', key: String(activity.subjectId) }
    case 'repository-invitation':
      return { repositoryId, kind: 'invitation', key: String(activity.subjectId) }
    case 'deployment-created': {
      const { subjectId: id, data } = activity
      const place = {
        kind: 'external',
        key: `deployment ${id}`,
        type: 'Deployment',
        url: `/deployments/${id}`,
      } as const
      return { repositoryId, ...place, title: data.title }
    }
    case 'commit-commented':
      return { repositoryId, kind: 'commit', key: activity.data.sha, title: activity.data.title }
    default:
      return 'subjectId' in activity ? { repositoryId, kind: 'issue', key: String(activity.subjectId) } : undefined
  }
}
