/** Earlier blocks left users what they had in the organisation's repositories: it is removed, as a block does now. */
export const partedByBlocks = (): string[] => [
  `delete from collaborator where ${isBlocked('collaborator', ['user_id'])}`,
  `delete from repository_invitation where ${isBlocked('repository_invitation', ['invitee_id', 'inviter_id'])}`,
  `delete from star where ${isBlocked('star', ['user_id'])}`,
  `update repository set subscriber_count = (
      select count(*) from watch where repository_id = repository.id and is_ignored = 0
        and not ${isBlocked('watch', ['user_id'])})
    where owner_id in (select organisation_id from organisation_block)`,
  `delete from watch where ${isBlocked('watch', ['user_id'])}`,
]

const isBlocked = (table: string, people: readonly string[]): string =>
  `exists (select 1 from organisation_block b join repository r on r.owner_id = b.organisation_id
      where r.id = ${table}.repository_id and b.user_id in (${people.map((name) => `${table}.${name}`).join(', ')}))`
