/**
 * Which test files share a process. Most of what a small file takes is to load the server and to run code that nothing has
 * compiled yet: eleven files of one folder take two thirds of the processor time in one process.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const mostFiles = 8

/** Those that start programs gain nothing, and whoever changes the process it runs in, or measures it, has one of its own. */
const alone =
  /^test\/(?:chaos|commands|executor|fuzz|outages|start|web)\/|\/(?:access-table|octokit|openapi|tidying|git-slots|git-durability|git-hardship|slow-merges|git-lfs|growth|large|lost-connection|killing|survival|crash|day-of-use|clients\/\w+)\.test\.ts$/

/** Files of one folder, in their order, beside those that run alone. */
export function groupFiles(root: string, files: readonly string[]): string[] {
  const folders = Object.groupBy(
    files.filter((file) => !alone.test(file)),
    dirname,
  )
  const made = mkdtempSync(join(tmpdir(), 'guildhall-test-groups-'))
  const groups = Object.entries(folders).flatMap(([folder, members = []]) =>
    Array.from({ length: Math.ceil(members.length / mostFiles) }, (_, at) => {
      const group = members.slice(at * mostFiles, (at + 1) * mostFiles)
      const imports = group.map((file) => `import '${pathToFileURL(join(root, file))}'\n`)
      const path = join(made, `${folder.replaceAll('/', '-')}-${at + 1}.test.mjs`)
      writeFileSync(path, imports.join(''))
      return path
    }),
  )
  return [...groups, ...files.filter((file) => alone.test(file))]
}
