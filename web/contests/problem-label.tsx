/** The label of a problem on its colour, as its balloon has it. */
import type { ContestProblem } from '../api/contests.ts'

/** Black or white, whichever is read more easily on the colour: WCAG's relative luminance. */
export function inkOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff'
}

export const ProblemLabel = ({ problem: { Label, Colour } }: { problem: Pick<ContestProblem, 'Label' | 'Colour'> }) => (
  <span class="problem-label" style={{ background: Colour, color: inkOn(Colour) }}>
    {Label}
  </span>
)
