/** What a rule says: yes, no, or nothing. Where the contract and the platform's documentation are silent, either answer is right. */

export type Truth = boolean | 'unclear'

export const not = (value: Truth): Truth => (value === 'unclear' ? value : !value)

export function all(...values: readonly Truth[]): Truth {
  if (values.includes(false)) return false
  return values.includes('unclear') ? 'unclear' : true
}

export const some = (...values: readonly Truth[]): Truth => not(all(...values.map(not)))

/** A refusal with one of these statuses, if the condition holds. */
export type Guard = readonly [condition: Truth, ...statuses: number[]]

/**
 * The statuses that are right: those of the first guard whose condition holds, and of every guard before it whose condition
 * is unclear; where none holds, the success's own as well.
 */
export function decide(guards: readonly Guard[], ...success: readonly number[]): number[] {
  const right: number[] = []
  for (const [condition, ...statuses] of guards) {
    if (condition === false) continue
    right.push(...statuses)
    if (condition === true) return right
  }
  return [...right, ...success]
}

/** What is wrong with a list that must hold some, and may hold others, and nothing else. */
export function complain(
  got: Iterable<string>,
  must: Iterable<string>,
  may: Iterable<string> = [],
): string | undefined {
  const shown = new Set(got)
  const due = new Set(must)
  const allowed = new Set([...due, ...may])
  const missing = [...due].filter((name) => !shown.has(name))
  const extra = [...shown].filter((name) => !allowed.has(name))
  if (missing.length === 0 && extra.length === 0) return undefined
  const say = (word: string, names: readonly string[]) => (names.length > 0 ? [`${word} ${names.join(', ')}`] : [])
  return [...say('it does not show', missing), ...say('it shows', extra)].join('; ')
}
