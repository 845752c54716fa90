/** The account that opened a pull or turned an issue into one: later pushes to its head count towards it. */
export const pullOpeners = (): string[] => [
  'alter table pull add column opener_id bigint references account (id) on delete set null',
]
