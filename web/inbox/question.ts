/** The question that the inbox's address asks: which threads, and how they are grouped. */

export type Question = {
  readonly show: 'unread' | 'all' | 'done'
  readonly isParticipating: boolean
  readonly reason: string
  readonly type: string
  readonly words: string
  readonly repository: string
  readonly isByRepository: boolean
}

export const readQuestion = (query: URLSearchParams): Question => {
  const show = query.get('show')
  return {
    show: show === 'unread' || show === 'done' ? show : 'all',
    isParticipating: query.get('participating') === 'true',
    reason: query.get('reason') ?? '',
    type: query.get('type') ?? '',
    words: query.get('q') ?? '',
    repository: /^[^/]+\/[^/]+$/.test(query.get('repo') ?? '') ? query.get('repo')! : '',
    isByRepository: query.get('group') === 'repository',
  }
}

/** As the interface takes it. */
export const toQuery = ({ show, isParticipating, reason, type, words }: Question) => ({
  all: show === 'all' || undefined,
  done: show === 'done' || undefined,
  participating: isParticipating || undefined,
  reason,
  type,
  q: words,
})

/** What a kept filter holds: the address without the thread that is open. */
export function toFilter(query: URLSearchParams): string {
  const kept = new URLSearchParams(query)
  kept.delete('thread')
  return kept.toString()
}
