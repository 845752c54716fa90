/**
 * Which test files share a process, and in which order they run. Most of what a small file takes is to load the server and to
 * run code that nothing has compiled yet: eleven files of one folder take two thirds of the processor time in one process.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { bundleTests } from './build.mjs'
import { makeOwnFolder } from './test-folder.ts'

const mostFiles = 8
/** From here on it takes less to bundle all files than to load the server, of over a thousand, in each process. */
const leastToBundle = 40

/** Those that start programs gain nothing, and whoever changes the process it runs in, or measures it, has one of its own. */
const alone =
  /^test\/(?:chaos|commands|executor|fuzz|outages|start|web)\/|\/(?:access-table|octokit|openapi|tidying|git-slots|git-durability|git-hardship|pull-turns|git-lfs|growth|large|lost-connection|killing|survival|crash|day-of-use|clients\/\w+)\.test\.ts$/

/** Those that take longest begin first, so that none is left alone at the end; then what remains in its order. */
const longest =
  /chaos\/|access-table|openapi|web\/(?:browser|classes|code-pages|contests|developer-pages|hand-outs|thread-pages)|start\/(?:clone|rolling-upgrade|refusals|stopping|killing)|fuzz\/|pulls\/survival|backup-engines|migrations\/killing|executor\/(?:programs|checkers)|datasets-\d|judge-1|forge-[2-5]|migrations-1|pulls-1|webhooks-1|notifications-1|judging-1/

/** Those of the executor's that run no program. */
const pure =
  /^test\/executor\/(?:places|comparison\/|judging\/(?:result-texts|verdict)|sandboxes\/(?:page-cache-keeper|seccomp|slots))/

/** Whether the file runs programs by limits of time: others that take the processors would be in its way. */
export const isMeasuring = (file: string): boolean => file.startsWith('test/executor/') && !pure.test(file)

const isAlone = (file: string): boolean => alone.test(file) && !pure.test(file)

type Group = { readonly name: string; readonly files: readonly string[] }

export type Groups = {
  readonly paths: readonly string[]
  /** Where what Node compiles of a bundle is kept, which nobody needs afterwards. */
  readonly compileCache: string | undefined
  /** Where what failed is written. */
  readonly failures: string
  remove(): void
}

/** Files of one folder, beside those that run alone; each group is a file that imports them, named by its place in the order. */
export async function groupFiles(root: string, files: readonly string[]): Promise<Groups> {
  const folders = Object.groupBy(
    files.filter((file) => !isAlone(file)),
    dirname,
  )
  const together = Object.entries(folders).flatMap(([folder, members = []]) =>
    Array.from({ length: Math.ceil(members.length / mostFiles) }, (_, at) => ({
      name: `${folder}-${at + 1}`,
      files: members.slice(at * mostFiles, (at + 1) * mostFiles),
    })),
  )
  const single = files.filter(isAlone).map((file) => ({ name: file, files: [file] }))
  // Packages are found from there.
  const made = makeOwnFolder(join(root, 'node_modules', '.cache'), 'test-groups-')
  const groups = inOrder([...together, ...single]).map(({ name, files }, at) => {
    const group = `${String(at).padStart(3, '0')}-${nameOf(name)}.test`
    const path = join(made, `${group}.mjs`)
    writeFileSync(path, files.map((file) => `import '${join(root, file)}'\n`).join(''))
    return [group, path] as const
  })
  const isBundled = groups.length >= leastToBundle
  if (isBundled) await bundleTests(Object.fromEntries(groups), made)
  return {
    paths: groups.map(([, path]) => path),
    compileCache: isBundled ? join(made, 'compiled') : undefined,
    failures: join(made, 'failures'),
    remove: () => rmSync(made, { recursive: true, force: true }),
  }
}

const inOrder = (groups: readonly Group[]): Group[] => [
  ...groups.filter(({ name }) => longest.test(name)),
  ...groups.filter(({ name }) => !longest.test(name)),
]

const nameOf = (name: string) => join(dirname(name), basename(name, '.test.ts')).replaceAll('/', '-')
