/** The parts of one subject, side by side: links, of which one is here; a number says how much is behind one. */
import { formatCount } from './figures.ts'

type Tab = readonly [href: string, text: string, isHere: boolean, count?: number | undefined]

export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(([href, text, isHere, count]) => (
      <a key={href} href={href} {...(isHere && { 'aria-current': 'page' as const })}>
        {text}
        {count !== undefined && count > 0 && <span class="tab-count">{formatCount(count)}</span>}
      </a>
    ))}
  </nav>
)
