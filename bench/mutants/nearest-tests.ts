/** Which tests are likely to run a source file: those that import it, lie in a folder of its name, or speak of what it says. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

/** They take minutes, and try everything at once. */
const wide = /^test\/(?:chaos|fuzz|web|start|services)\/|\/(?:access-table|openapi|octokit|clients\/|day-of-use|week)/

/** Where the tests of an interface are. */
const rooms: readonly [RegExp, string][] = [
  [/^api\/(?:forge-rest|forge-graphql|git|oauth|ssh)/, 'forge'],
  [/^api\/judge-rpc/, 'judge'],
  [/^api\/dataset-api/, 'datasets'],
]

export type NearestTests = ReturnType<typeof makeNearestTests>

type TestFile = { readonly file: string; readonly text: string; readonly imports: ReadonlySet<string> }

export function makeNearestTests(root: string) {
  const texts = new Map<string, string>()
  const read = (file: string): string => {
    const known = texts.get(file) ?? readFileSync(join(root, file), 'utf8')
    texts.set(file, known)
    return known
  }
  const importsOf = (file: string): string[] =>
    [...read(file).matchAll(/(?:from |import\()'(\.[^']+\.ts)'/g)]
      .map(([, path]) => relative(root, join(root, dirname(file), path!)))
      // Programs within texts of a test import from elsewhere.
      .filter((path) => existsSync(join(root, path)))
  const tests: TestFile[] = globSync('test/**/*.test.ts', { cwd: root })
    .filter((file) => !wide.test(file))
    .map((file) => {
      const direct = importsOf(file)
      // What a test's own helpers import is as good; those that start a server import everything.
      const near = direct
        .filter((path) => path.startsWith('test/') && dirname(path) === dirname(file))
        .flatMap(importsOf)
      return { file, text: read(file), imports: new Set([...direct, ...near]) }
    })

  /** What few tests speak of tells more. */
  const counts = new Map<string, number>()
  const countTests = (words: string): number => {
    const count = counts.get(words) ?? tests.filter(({ text }) => text.includes(words)).length
    counts.set(words, count)
    return count
  }

  function score({ file, text, imports }: TestFile, source: string, says: readonly string[]): number {
    const place = rooms.reduce((path, [from, to]) => path.replace(from, to), source.replace(/^src\//, ''))
    const [here, there] = [dirname(place).split('/'), dirname(file).split('/').slice(1)]
    const shared = here.findIndex((part, at) => part !== there[at])
    const words = [basename(source, '.ts'), ...here]
      .flatMap((part) => part.split('-'))
      .filter((word) => word.length > 3)
    const named = words.filter((word) => basename(file).includes(word.replace(/(?:ing|s)$/, '')))
    const said = says.filter((words) => text.includes(words))
    const points = said.reduce((sum, words) => sum + 32 / Math.max(2, countTests(words)), 0)
    return (
      (imports.has(source) ? 40 : 0) +
      12 * (shared < 0 ? here.length : shared) +
      16 * named.length +
      Math.min(points, 48)
    )
  }

  const starters = new Map<string, boolean>()
  /** Whether it, or a helper of it, starts programs from the build. */
  function startsPrograms(file: string): boolean {
    if (!starters.has(file)) {
      starters.set(file, false)
      const isOne =
        /build\.mjs'/.test(read(file)) ||
        importsOf(file)
          .filter((path) => path.startsWith('test/'))
          .some(startsPrograms)
      starters.set(file, isOne)
    }
    return starters.get(file)!
  }

  return {
    all: tests.map(({ file }) => file),
    startsPrograms,

    /** The nearest first. What stands beside the fault tells most: names of fields, and texts. */
    of(source: string, line: number): string[] {
      const around = read(source)
        .split('\n')
        .slice(Math.max(0, line - 4), line + 3)
        .join('\n')
      const beside = [
        ...new Set([...around.matchAll(/\b[a-z]+(?:_[a-z]+)+\b|(?<=')[^'\n]{5,60}(?=')/g)].map(([word]) => word)),
      ]
      const pointsBeside = (text: string) =>
        beside
          .filter((words) => text.includes(words))
          .reduce((sum, words) => sum + 96 / Math.max(2, countTests(words)), 0)
      const says = [...new Set([...read(source).matchAll(/'([^'\n]{7,60})'/g)].map(([, words]) => words!))].filter(
        (words) => !words.startsWith('.') && !words.startsWith('node:') && /[-_/ ]/.test(words),
      )
      return tests
        .map((test) => ({
          file: test.file,
          score: score(test, source, says) + Math.min(pointsBeside(test.text), 60),
          size: test.text.length,
        }))
        .filter(({ score: reached }) => reached > 0)
        .sort((a, b) => b.score - a.score || a.size - b.size)
        .map(({ file }) => file)
    },
  }
}
