/** The status and the result of a submission, by the contract's numbers. */

export const submitted = 1
export const executing = 2
export const finished = 3

export const noResult = 0
export const judgeFailure = 9
