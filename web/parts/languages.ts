/** The languages that the page can colour, for the editor and for statements. Each is loaded when it is first shown. */
import type { LanguageSupport } from '@codemirror/language'

const languages: Readonly<Record<string, () => Promise<LanguageSupport>>> = {
  cpp: async () => (await import('@codemirror/lang-cpp')).cpp(),
  java: async () => (await import('@codemirror/lang-java')).java(),
  python: async () => (await import('@codemirror/lang-python')).python(),
  javascript: async () => (await import('@codemirror/lang-javascript')).javascript(),
  typescript: async () => (await import('@codemirror/lang-javascript')).javascript({ typescript: true }),
  tsx: async () => (await import('@codemirror/lang-javascript')).javascript({ typescript: true, jsx: true }),
  jsx: async () => (await import('@codemirror/lang-javascript')).javascript({ jsx: true }),
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

const ofEndings: Readonly<Record<string, string>> = {
  ...{ c: 'cpp', h: 'cpp', cc: 'cpp', cpp: 'cpp', cxx: 'cpp', hh: 'cpp', hpp: 'cpp', hxx: 'cpp', ino: 'cpp' },
  ...{ js: 'javascript', mjs: 'javascript', cjs: 'javascript', jsx: 'jsx', json: 'javascript' },
  ...{ ts: 'typescript', mts: 'typescript', cts: 'typescript', tsx: 'tsx' },
  ...{ java: 'java', py: 'python', pyi: 'python', go: 'go', rs: 'rust' },
}

/** By the end of its name; undefined where no colours are known. */
export function languageOfFile(path: string): string | undefined {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase()
  return ending !== undefined && Object.hasOwn(ofEndings, ending) ? ofEndings[ending] : undefined
}

export async function loadLanguage(given: string): Promise<LanguageSupport | undefined> {
  const known = given.toLowerCase()
  const name = Object.hasOwn(otherNames, known) ? otherNames[known]! : known
  return Object.hasOwn(languages, name) ? languages[name]!() : undefined
}
