/** The parts of one subject, side by side: links, of which one is here; a number says how much is behind one. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { formatCount } from './figures.ts'

type Tab = readonly [href: string, text: string, isHere: boolean, count?: number | undefined]

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const row = useRef<HTMLElement>(null)
  const here = tabs.findIndex(([, , isHere]) => isHere)
  const counts = tabs.map(([, , , count]) => count ?? 0).join()
  // On a narrow screen the row scrolls: the one that is here is in sight.
  useLayoutEffect(() => {
    const current = row.current?.querySelector<HTMLElement>('[aria-current]')
    if (current) row.current!.scrollLeft = current.offsetLeft - (row.current!.clientWidth - current.offsetWidth) / 2
  }, [here, counts])
  return (
    <nav class="tabs" aria-label={label} ref={row}>
      {tabs.map(([href, text, isHere, count]) => (
        <a key={href} href={href} {...(isHere && { 'aria-current': 'page' as const })}>
          {text}
          {count !== undefined && count > 0 && <span class="tab-count">{formatCount(count)}</span>}
        </a>
      ))}
    </nav>
  )
}
