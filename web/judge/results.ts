/** The words and colours of states and results. */
export const submitted = 1
export const executing = 2
export const finished = 3

export const results: readonly string[] = [
  'Waiting',
  'Accepted',
  'Compile error',
  'Runtime error',
  'Time limit exceeded',
  'Memory limit exceeded',
  'Wrong answer',
  'Unsupported language',
  'Output limit exceeded',
  'Judge failure',
]

export const resultName = (result: number): string => results[result] ?? `Result ${result}`

export type Tone = 'good' | 'bad' | 'wait' | ''

export const toneOf = (result: number): Tone => (result === 1 ? 'good' : result === 0 ? 'wait' : 'bad')

/** The next step, for who handed it in. */
export const advice: Readonly<Record<number, string>> = {
  2: 'The program did not compile. The compiler output is below.',
  3: 'The program ended with an error. Its stderr may say where.',
  4: 'The program took longer than allowed. Look for a faster algorithm, or for a read that waits for input that never comes.',
  5: 'The program used more memory than allowed.',
  6: 'The program ran, but its output is wrong.',
  7: 'No executor here can run this language. Choose another one.',
  8: 'The program printed far more than expected.',
  9: 'The judge failed; this is not your fault. The problem’s author can rejudge the submission.',
}

/** For the problem's author and admins, who can act themselves. */
export const ownerAdvice: Readonly<Record<number, string>> = {
  9: 'The judge failed; the program is not to blame. Mend the checker if it failed. Then you can rejudge the submission.',
}
