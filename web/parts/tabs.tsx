/** The parts of one subject, side by side: links, of which one is here. */
type Tab = readonly [href: string, text: string, isHere: boolean]

export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(([href, text, isHere]) => (
      <a key={href} href={href} {...(isHere && { 'aria-current': 'page' as const })}>
        {text}
      </a>
    ))}
  </nav>
)
