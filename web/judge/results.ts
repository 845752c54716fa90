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
  2: 'The compiler did not take the program. What it said is below.',
  3: 'The program ended with an error. What it wrote to stderr may say where.',
  4: 'The program took longer than allowed. Think of a faster way, or of input that it waits for in vain.',
  5: 'The program needed more memory than allowed.',
  6: 'The program ran, but what it printed was not right.',
  7: 'No executor here can run this language. Choose another one.',
  8: 'The program printed far more than expected.',
  9: 'It could not be judged, which is not your fault. Who set the problem can have it judged again.',
}
