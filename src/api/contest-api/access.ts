/**
 * One table of the endpoints and properties that a caller has, and what they may do. It is both announced and enforced.
 */
import type { Standing } from '../../judge/contest-access/contest-access.ts'

export type Endpoint =
  | 'contest'
  | 'judgement-types'
  | 'languages'
  | 'problems'
  | 'groups'
  | 'organizations'
  | 'teams'
  | 'accounts'
  | 'state'
  | 'submissions'
  | 'judgements'
  | 'runs'
  | 'clarifications'
  | 'awards'
  | 'scoreboard'
  | 'event-feed'

/** The order in which a feed begins: referenced objects come before those that refer to them. */
export const feedTypes = [
  'contest',
  'judgement-types',
  'languages',
  'problems',
  'groups',
  'organizations',
  'teams',
  'accounts',
  'state',
  'submissions',
  'judgements',
  'runs',
  'clarifications',
  'awards',
] as const satisfies readonly Endpoint[]
export type FeedType = (typeof feedTypes)[number]

type Wish = { readonly standing: Standing; readonly isSignedIn: boolean; readonly isStrict: boolean }

/** A property that the caller may not see is left out of lists, objects and feeds alike. */
export function listEndpoints({ standing, isSignedIn, isStrict }: Wish): Map<Endpoint, readonly string[]> {
  const { contest, isJury, teamId } = standing
  const isIoi = contest.style === 'ioi'
  const seesWork = isJury || teamId !== null
  const only = (condition: boolean, ...names: string[]) => (condition ? names : [])
  const simplified = isStrict ? [] : ['simplified_judgement_type_id']
  const endpoints: [Endpoint, readonly string[]][] = [
    [
      'contest',
      [
        ...[
          'id',
          'name',
          'formal_name',
          'start_time',
          'countdown_pause_time',
          'duration',
          'scoreboard_freeze_duration',
        ],
        ...['scoreboard_thaw_time', 'scoreboard_type', ...only(!isIoi, 'penalty_time')],
      ],
    ],
    ['judgement-types', ['id', 'name', 'penalty', 'solved', ...simplified]],
    ['languages', ['id', 'name', 'entry_point_required', 'extensions']],
    [
      'problems',
      [
        ...[
          'id',
          'uuid',
          'label',
          'name',
          'ordinal',
          'rgb',
          'time_limit',
          'memory_limit',
          'output_limit',
          'code_limit',
        ],
        ...[
          'test_data_count',
          ...only(isIoi, 'max_score'),
          ...only(isSignedIn || contest.showsProblemsToPublic, 'statement'),
        ],
        ...only(!isStrict && (isSignedIn || contest.showsProblemsToPublic), 'attachments'),
      ],
    ],
    ['groups', ['id', 'name']],
    ['organizations', ['id', 'name']],
    ['teams', ['id', 'name', 'label', 'organization_id', 'group_ids', ...only(isJury, 'hidden')]],
    ['accounts', only(seesWork, 'id', 'username', 'name', 'type', 'team_id')],
    ['state', ['started', 'frozen', 'ended', 'thawed', 'finalized', 'end_of_updates']],
    [
      'submissions',
      [...['id', 'language_id', 'problem_id', 'team_id', 'time', 'contest_time', 'entry_point'], ...['files']],
    ],
    [
      'judgements',
      [
        ...[
          'id',
          'submission_id',
          'judgement_type_id',
          ...simplified,
          ...only(isIoi && (seesWork || !contest.boardIsHidden), 'score'),
          'current',
        ],
        ...['start_time', 'start_contest_time', 'end_time', 'end_contest_time', ...only(seesWork, 'max_run_time')],
      ],
    ],
    ['runs', only(seesWork, 'id', 'judgement_id', 'ordinal', 'judgement_type_id', 'time', 'contest_time', 'run_time')],
    [
      'clarifications',
      [
        ...['id', 'from_team_id', ...(isStrict ? ['to_team_id'] : ['to_team_ids', 'to_group_ids'])],
        ...['reply_to_id', 'problem_id', 'text'],
        ...['time', 'contest_time'],
      ],
    ],
    ['awards', only(isJury || !contest.boardIsHidden, 'id', 'citation', 'team_ids')],
    ['scoreboard', only(isJury || !contest.boardIsHidden, 'time', 'contest_time', 'state', 'rows')],
    ['event-feed', ['type', 'id', 'data', 'token']],
  ]
  return new Map(endpoints.filter(([, properties]) => properties.length > 0))
}

export function listCapabilities({ isJury, teamId }: Standing): string[] {
  if (isJury) return ['contest_start', 'contest_thaw', 'admin_submit', 'post_clar']
  return teamId === null ? [] : ['team_submit', 'post_clar']
}
