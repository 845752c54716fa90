/** Every figure of the rate limits, its default (from the contract), and how an operator changes them. */

export const defaultFigures = {
  /** Requests per hour, by caller class. */
  anonymous: 60,
  user: 5_000,
  'user-enterprise': 15_000,
  installation: 5_000,
  'installation-enterprise': 15_000,
  'installation-most': 12_500,
  'oauth-app': 5_000,
  'oauth-app-enterprise': 15_000,
  workflow: 1_000,
  'workflow-enterprise': 15_000,
  'audit-log': 1_750,
  /** Requests per minute. */
  search: 30,
  'search-anonymous': 10,
  'code-search': 10,
  lfs: 3_000,
  'lfs-anonymous': 300,
  graphql: 5_000,
  /** The secondary limits. */
  concurrent: 100,
  points: 900,
  'graphql-points': 2_000,
  'cpu-seconds': 90,
  'graphql-cpu-seconds': 60,
  'content-minute': 80,
  'content-hour': 500,
  'oauth-tokens': 2_000,
  /** Refused requests after which the wait grows, and after which the token is banned. */
  patience: 100,
  'ban-after': 1_000,
  /** The length of an hour and a minute in seconds: shorter ones are for trying out clients. */
  hour: 3_600,
  minute: 60,
}

export type Figures = Readonly<Record<keyof typeof defaultFigures, number>>

/** `user=10, points=100`: the named figures are set, the others keep their defaults. */
export function parseFigures(text: string): Figures {
  const figures: Record<string, number> = { ...defaultFigures }
  for (const part of text.split(',').filter((piece) => piece.trim() !== '')) {
    const [name = '', value = ''] = part.split('=').map((piece) => piece.trim())
    if (!Object.hasOwn(defaultFigures, name)) {
      throw new Error(`names no limit by ${JSON.stringify(name)}; there are ${Object.keys(defaultFigures).join(', ')}.`)
    }
    if (!/^\d{1,12}$/.test(value)) throw new Error(`must give ${name} a whole number, as in ${name}=100.`)
    figures[name] = Number(value)
  }
  return figures as Figures
}
