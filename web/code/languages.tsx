/** The languages of a repository, as shares of its bytes. */
const most = 6

export function Languages({ bytes }: { bytes: Readonly<Record<string, number>> }) {
  const all = Object.entries(bytes).sort((a, b) => b[1] - a[1])
  const total = all.reduce((sum, [, count]) => sum + count, 0) || 1
  const rest = all.slice(most).reduce((sum, [, count]) => sum + count, 0)
  const shown = [...all.slice(0, most), ...(rest > 0 ? [['Other', rest] as const] : [])]
  const share = (count: number) => `${((100 * count) / total).toFixed(1)} %`
  return (
    <>
      <span class="language-bar" aria-hidden="true">
        {shown.map(([name, count], at) => (
          <span key={name} class={`language-${at}`} style={{ width: `${(100 * count) / total}%` }} />
        ))}
      </span>
      <ul class="plain-list language-list">
        {shown.map(([name, count], at) => (
          <li key={name}>
            <span class={`language-dot language-${at}`} aria-hidden="true" />
            <b>{name}</b> <span class="soft">{share(count)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
