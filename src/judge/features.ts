/** Features that an executor needs beyond plain judging. A set of features is stored as the sum of their numbers. */

export const features = { checker: 1, interactive: 2, score: 4, trial: 8 } as const

export type Feature = keyof typeof features
export const featureNames = Object.keys(features) as Feature[]

/**
 * The features that a problem needs, or that an executor has. No problem needs `trial`, which runs programs without a
 * submission.
 */
export type FeatureSet = number

export const noFeatures: FeatureSet = 0
export const allFeatures: FeatureSet = 15

export const toFeatureSet = (names: readonly Feature[]): FeatureSet =>
  names.reduce((set, name) => set | features[name], noFeatures)

export const isFeature = (name: string): name is Feature => Object.hasOwn(features, name)

export const namesOf = (set: FeatureSet): Feature[] => featureNames.filter((name) => (set & features[name]) !== 0)

export const hasFeatures = (had: FeatureSet, needed: FeatureSet): boolean => (needed & ~had) === 0
