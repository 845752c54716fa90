/** A finding of an inspection of the machine. */

export type Finding = {
  readonly name: string
  /** `bad`: Guildhall can't serve. `poor`: it serves, with something missing. */
  readonly state: 'good' | 'poor' | 'bad'
  readonly says: string
  /** The next step, if there is one. */
  readonly advice?: string
}

export type Inspection = (environment: NodeJS.ProcessEnv) => Promise<readonly Finding[]>
