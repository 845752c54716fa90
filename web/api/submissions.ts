/** Accounts and submissions, as many of the judge's operations give them. */
export type Role = 'admin' | 'problem_setter' | 'contestant' | 'worker'
export type Account = {
  readonly ID: number
  readonly AccountName: string
  readonly DisplayName: string
  readonly Role: Role
  /** Only where it is so. */
  readonly IsSuspended?: boolean
}
export type SubmissionSnippet = {
  readonly ID: number
  readonly Problem: { readonly UUID: string; readonly DisplayName: string }
  readonly Author: Account
  readonly Language: string
  readonly Status: number
  readonly Result: number
  readonly CreatedTime: number
  readonly FinishedTime: number | null
  readonly CPUTimeInMillisecond: number | null
  readonly PeakMemoryInByte: number | null
  /** Null unless the problem is scored, and for those who may not see it. */
  readonly Score: number | null
  readonly MaximumScore: number | null
}
