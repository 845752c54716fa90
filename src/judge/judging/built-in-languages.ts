/** The built-in languages, which the server lists before any executor has registered. */

export type Language = { readonly value: string; readonly name: string }

export const builtInLanguages: readonly Language[] = [
  { value: 'c', name: 'C' },
  { value: 'cpp', name: 'C++' },
  { value: 'java', name: 'Java' },
  { value: 'python', name: 'Python' },
  { value: 'javascript', name: 'JavaScript' },
  { value: 'typescript', name: 'TypeScript' },
  { value: 'go', name: 'Go' },
  { value: 'rust', name: 'Rust' },
]
