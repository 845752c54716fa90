/** Certificates of awards as SVG for printing: one per team and award, once the contest is final. */
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Store } from '../../store/store.ts'
import { frozenSince } from '../contest-access/contest.ts'
import type { ContestDoors } from './contest-doors.ts'
import type { Scoreboards } from './scoreboards.ts'

export type Certificate = {
  readonly contest: string
  readonly citation: string
  readonly team: string
  readonly organisation: string | null
  /** The names of its members to show. */
  readonly people: readonly string[]
  readonly endedAt: Date
}

type Needs = {
  clock: Clock
  store: Pick<Store, 'db'>
  doors: ContestDoors
  scoreboards: Pick<Scoreboards, 'listAwards'>
}

export type Certificates = ReturnType<typeof makeCertificates>

export function makeCertificates({ clock, store: { db }, doors, scoreboards }: Needs) {
  return {
    /** For everyone who may see the award; those of a hidden board only for the jury. */
    async render(actor: Actor, contestId: string, awardId: string, teamId: string): Promise<string> {
      const standing = await doors.find(actor, contestId)
      const { contest } = standing
      const early = 'Awards are certified once the contest is finalized.'
      demand(contest.finalizedAt !== null, 'precondition', 'not-finalized', early)
      const frozen = 'The scoreboard is frozen: awards are certified once it is thawed.'
      demand(standing.isJury || frozenSince(contest, clock.now()) === null, 'precondition', 'frozen', frozen)
      const award = (await scoreboards.listAwards(standing)).find(({ id }) => id === awardId)
      if (!award?.teamIds.includes(teamId))
        throw new Failure('not-found', 'award-unknown', `The team ${teamId} has no award ${awardId}.`)
      const team = await db
        .selectFrom('contest_team')
        .leftJoin('contest_organisation', 'contest_organisation.id', 'contest_team.organisation_id')
        .select(['contest_team.id', 'contest_team.name', 'contest_organisation.name as organisation'])
        .where('contest_team.contest_id', '=', contest.id)
        .where('contest_team.public_id', '=', teamId)
        .executeTakeFirstOrThrow()
      const people = await db
        .selectFrom('contest_member')
        .innerJoin('account', 'account.id', 'contest_member.account_id')
        .select('account.display_name')
        .where('contest_member.team_id', '=', team.id)
        .orderBy('contest_member.position')
        .execute()
      // Only the team itself and the jury see the team's members.
      const mayName = standing.isJury || standing.teamId === team.id
      return renderCertificate({
        contest: contest.formalName ?? contest.name,
        citation: award.citation,
        team: team.name,
        organisation: team.organisation,
        people: mayName ? people.map((one) => one.display_name) : [],
        endedAt: new Date((contest.startTime ?? 0) + contest.durationMs),
      })
    },
  }
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** For text and quoted values; XML allows neither control characters nor unpaired surrogates. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (letter) => escapes[letter]!)

/** A4 landscape, in millimetres. Long names are condensed to fit. */
export function renderCertificate({ contest, citation, team, organisation, people, endedAt }: Certificate): string {
  const widest = 240
  const line = (y: number, size: number, text: string, colour = '#1f2937') => {
    const isLong = text.length * size * 0.55 > widest
    const squeezed = isLong ? ` textLength="${widest}" lengthAdjust="spacingAndGlyphs"` : ''
    return `<text x="148.5" y="${y}" font-size="${size}" fill="${colour}"${squeezed}>${escapeXml(text)}</text>`
  }
  const lines = [
    line(52, 8, contest, '#4b5563'),
    line(92, 16, citation),
    line(122, 14, team),
    ...(organisation === null ? [] : [line(137, 8, organisation, '#4b5563')]),
    ...(people.length === 0 ? [] : [line(152, 7, people.join(' · '), '#4b5563')]),
    line(180, 6, endedAt.toISOString().slice(0, 10), '#4b5563'),
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="297mm" height="210mm" viewBox="0 0 297 210">
<title>${escapeXml(`${citation}: ${team}`)}</title>
<rect width="297" height="210" fill="#ffffff"/>
<rect x="10" y="10" width="277" height="190" fill="none" stroke="#b45309" stroke-width="1.5"/>
<rect x="13" y="13" width="271" height="184" fill="none" stroke="#b45309" stroke-width="0.4"/>
<g font-family="Georgia, 'Times New Roman', serif" text-anchor="middle">
${lines.join('\n')}
</g>
</svg>
`
}
