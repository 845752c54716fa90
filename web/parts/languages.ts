/** The languages that the page can colour, for the editor and for statements. Each is loaded when it is first shown. */
import type { LanguageSupport } from '@codemirror/language'

const languages: Readonly<Record<string, () => Promise<LanguageSupport>>> = {
  cpp: async () => (await import('@codemirror/lang-cpp')).cpp(),
  java: async () => (await import('@codemirror/lang-java')).java(),
  python: async () => (await import('@codemirror/lang-python')).python(),
  javascript: async () => (await import('@codemirror/lang-javascript')).javascript(),
  typescript: async () => (await import('@codemirror/lang-javascript')).javascript({ typescript: true }),
  go: async () => (await import('@codemirror/lang-go')).go(),
  rust: async () => (await import('@codemirror/lang-rust')).rust(),
}

/** As people write them behind the first line of a block of code. */
const otherNames: Readonly<Record<string, string>> = {
  c: 'cpp',
  'c++': 'cpp',
  cc: 'cpp',
  h: 'cpp',
  py: 'python',
  python3: 'python',
  js: 'javascript',
  json: 'javascript',
  ts: 'typescript',
  golang: 'go',
  rs: 'rust',
}

export async function loadLanguage(name: string): Promise<LanguageSupport | undefined> {
  const known = name.toLowerCase()
  return languages[otherNames[known] ?? known]?.()
}
