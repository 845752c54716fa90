/** Who opened a pull, or made one of an issue: what is pushed to its head later counts to them. */
export const pullOpeners = (): string[] => [
  'alter table pull add column opener_id bigint references account (id) on delete set null',
]
