/** The language of a source by its file's ending. The page uses it, too. */
const byExtension: Readonly<Record<string, string>> = {
  c: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  'c++': 'cpp',
  java: 'java',
  py: 'python',
  py3: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  go: 'go',
  rs: 'rust',
}

export const languageOfExtension = (extension: string): string | undefined => byExtension[extension.toLowerCase()]
