/** A label in its colour, with the ink that can be read on it. */
type Shown = { readonly name: string; readonly color: string; readonly description?: string | null }

/** Black or white, whichever stands out more: one of them always has a contrast of 4.5 or more. */
export function inkOn(color: string): string {
  const channels = [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
  const [red = 0, green = 0, blue = 0] = channels.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  )
  const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return (light + 0.05) ** 2 > 1.05 * 0.05 ? '#000000' : '#ffffff'
}

const lookOf = (color: string) => {
  const known = /^[0-9a-f]{6}$/i.test(color) ? color : 'ededed'
  return { backgroundColor: `#${known}`, color: inkOn(known) }
}

export const LabelChip = ({ label, href }: { label: Shown; href?: string }) =>
  href ? (
    <a class="label-chip" style={lookOf(label.color)} href={href} title={label.description ?? undefined}>
      {label.name}
    </a>
  ) : (
    <span class="label-chip" style={lookOf(label.color)} title={label.description ?? undefined}>
      {label.name}
    </span>
  )

export const LabelDot = ({ color }: { color: string }) => (
  <span class="label-dot" style={{ backgroundColor: lookOf(color).backgroundColor }} aria-hidden="true" />
)
