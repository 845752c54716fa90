/** Names of balloon colours, for staff who pick a balloon and for colour-blind readers. */

/** The default colours of problems come first; their names are distinct. */
const names: readonly (readonly [colour: string, name: string])[] = [
  ['#e6194b', 'Red'],
  ['#3cb44b', 'Green'],
  ['#ffe119', 'Yellow'],
  ['#4363d8', 'Blue'],
  ['#f58231', 'Orange'],
  ['#911eb4', 'Purple'],
  ['#46f0f0', 'Cyan'],
  ['#f032e6', 'Magenta'],
  ['#ffffff', 'White'],
  ['#fabebe', 'Pink'],
  ['#008080', 'Teal'],
  ['#9a6324', 'Brown'],
  ['#000000', 'Black'],
  ['#bcf60c', 'Lime'],
  ['#808000', 'Olive'],
  ['#e6beff', 'Lavender'],
  ['#ff0000', 'Red'],
  ['#00ff00', 'Green'],
  ['#0000ff', 'Blue'],
  ['#ffff00', 'Yellow'],
  ['#ff69b4', 'Pink'],
  ['#add8e6', 'Light blue'],
  ['#90ee90', 'Light green'],
  ['#006400', 'Dark green'],
  ['#00008b', 'Dark blue'],
  ['#800000', 'Dark red'],
  ['#fffac8', 'Beige'],
  ['#ffd700', 'Gold'],
  ['#c0c0c0', 'Silver'],
  ['#808080', 'Grey'],
]

/** The channels of `#rrggbb`. */
const partsOf = (colour: string): readonly number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

/** Weighted by the mean of the reds, which comes closer to what people see than the plain distance. */
function distance(a: string, b: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(a)
  const [otherRed = 0, otherGreen = 0, otherBlue = 0] = partsOf(b)
  const mean = (red + otherRed) / 2
  return (
    (2 + mean / 256) * (red - otherRed) ** 2 +
    4 * (green - otherGreen) ** 2 +
    (2 + (255 - mean) / 256) * (blue - otherBlue) ** 2
  )
}

export const colourName = (colour: string): string =>
  names.reduce((best, one) => (distance(one[0], colour) < distance(best[0], colour) ? one : best))[1]
