/** What a class's roster tells of a student besides the name: for spreadsheets, and to recognise them in another class. */
export const rosterDetails = (): string[] => [
  `create table roster_detail (
    class_id bigint not null references class (id) on delete cascade,
    account_id bigint not null references account (id) on delete cascade,
    given_name text not null,
    family_name text not null,
    student_number text not null,
    email text not null,
    primary key (class_id, account_id))`,
  'create index roster_detail_by_account on roster_detail (account_id)',
  `create index roster_detail_by_number on roster_detail (student_number) where student_number <> ''`,
  `create index roster_detail_by_email on roster_detail (email) where email <> ''`,
]
