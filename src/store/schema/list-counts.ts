/** How long the lists of users, problems, events of issues, stars and followers are, by blocks of ids. Triggers keep it: nobody writes here. */

export type ListCountTable = {
  /** `problem`: those that everybody sees; `own-problem`: an author's, held ones too. */
  list: 'user' | 'problem' | 'own-problem' | 'issue-event' | 'stargazer' | 'follower' | 'following'
  /** Whose; 0 for everyone's. */
  owner_id: number
  /** A block holds two to the power of this ids. */
  level: number
  block: number
  count: number
}

export type ListCountsSchema = { list_count: ListCountTable }
