/** Detects the language of a file by the end of its name. */

const endings: Record<string, string> = {
  c: 'C',
  h: 'C',
  cc: 'C++',
  cpp: 'C++',
  cxx: 'C++',
  hpp: 'C++',
  cs: 'C#',
  css: 'CSS',
  clj: 'Clojure',
  dart: 'Dart',
  ex: 'Elixir',
  exs: 'Elixir',
  elm: 'Elm',
  erl: 'Erlang',
  fs: 'F#',
  f90: 'Fortran',
  go: 'Go',
  hs: 'Haskell',
  html: 'HTML',
  java: 'Java',
  js: 'JavaScript',
  mjs: 'JavaScript',
  cjs: 'JavaScript',
  jsx: 'JavaScript',
  jl: 'Julia',
  kt: 'Kotlin',
  lua: 'Lua',
  m: 'Objective-C',
  ml: 'OCaml',
  nim: 'Nim',
  pas: 'Pascal',
  pl: 'Perl',
  php: 'PHP',
  py: 'Python',
  r: 'R',
  rb: 'Ruby',
  rs: 'Rust',
  scala: 'Scala',
  scss: 'SCSS',
  sh: 'Shell',
  sql: 'PLpgSQL',
  swift: 'Swift',
  tex: 'TeX',
  ts: 'TypeScript',
  mts: 'TypeScript',
  tsx: 'TypeScript',
  vue: 'Vue',
  zig: 'Zig',
}

export function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  if (dot < 0) return name === 'Makefile' ? 'Makefile' : name === 'Dockerfile' ? 'Dockerfile' : undefined
  const ending = name.slice(dot + 1).toLowerCase()
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined
}
