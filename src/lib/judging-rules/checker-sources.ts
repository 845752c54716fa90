/** The files of a checker's folder: which are sources, by language, and the bounds of names, for server and executor. */

export const checkerLanguages = ['c', 'cpp', 'python', 'java'] as const

export type CheckerLanguage = (typeof checkerLanguages)[number]

/** C++ compilers accept C files as well; `.C` is C++. */
export const sourceEndings: Readonly<Record<CheckerLanguage, readonly string[]>> = {
  c: ['.c'],
  cpp: ['.cpp', '.cc', '.cxx', '.c++', '.CPP', '.C', '.c'],
  python: ['.py', '.py3'],
  java: ['.java'],
}

export const isCheckerLanguage = (language: string): language is CheckerLanguage =>
  Object.hasOwn(sourceEndings, language)

export const isCheckerSource = (language: CheckerLanguage, name: string): boolean =>
  sourceEndings[language].some((ending) => name.endsWith(ending))

export const isSourceOfAny = (name: string): boolean =>
  checkerLanguages.some((language) => isCheckerSource(language, name))

/** The language in which all of these sources can be compiled. */
export const findCheckerLanguage = (names: readonly string[]): CheckerLanguage | undefined =>
  names.length === 0
    ? undefined
    : checkerLanguages.find((language) => names.every((name) => isCheckerSource(language, name)))

/** The script to run: the only one, or `__main__.py` if there are several. */
export function findMainScript(names: readonly string[]): string | undefined {
  const scripts = names.filter((name) => isCheckerSource('python', name))
  return scripts.find((name) => name === '__main__.py') ?? (scripts.length === 1 ? scripts[0] : undefined)
}

/** A file system refuses longer names. Each folder is an argument when a box is made, and arguments have a limit. */
export const longestNameBytes = 255
export const deepestName = 16
