/** References to other systems in prose: a repository's prefixes, each with the address that it stands for. */

export type AutolinkRule = {
  readonly prefix: string
  /** `https://tickets.example.org/<num>`. */
  readonly template: string
  readonly isAlphanumeric: boolean
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

/** In the order of the text. */
export function* scanAutolinks(prose: string, rules: readonly AutolinkRule[]) {
  if (rules.length === 0) return
  // Of two prefixes that fit, the longer one.
  const ordered = [...rules].sort((a, b) => b.prefix.length - a.prefix.length)
  const names = ordered.map(({ prefix }) => escapePattern(prefix)).join('|')
  const pattern = new RegExp(`(?<![A-Za-z0-9])(${names})([A-Za-z0-9-]{1,100})(?![A-Za-z0-9])`, 'gi')
  for (const { 0: whole, 1: prefix = '', 2: name = '', index } of prose.matchAll(pattern)) {
    const rule = ordered.find((one) => one.prefix.toLowerCase() === prefix.toLowerCase())
    const wanted = rule?.isAlphanumeric ? name.replace(/-+$/, '') : /^\d+/.exec(name)?.[0]
    if (!rule || !wanted || (!rule.isAlphanumeric && wanted !== name.replace(/-.*$/, ''))) continue
    const end = index + whole.length - (name.length - wanted.length)
    yield { start: index, end, href: rule.template.replaceAll('<num>', encodeURIComponent(wanted)) }
  }
}
