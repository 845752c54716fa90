/**
 * The length of the lists of users, problems, issue events, stars and followers, by blocks of ids. Maintained only by
 * triggers.
 */

export type ListCountTable = {
  /** `problem`: those visible to everybody; `own-problem`: an author's, including held ones. */
  list: 'user' | 'problem' | 'own-problem' | 'issue-event' | 'stargazer' | 'follower' | 'following'
  /** The owner of the list; 0 for everyone's. */
  owner_id: number
  /** A block has two to the power of this ids. */
  level: number
  block: number
  count: number
}

export type ListCountsSchema = { list_count: ListCountTable }
