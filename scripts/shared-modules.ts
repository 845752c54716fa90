/**
 * Modules that several views of the page share come in one file. esbuild makes a file for each set of views that share
 * something: a view of code came in 39, most of them of a few hundred bytes, and a browser pays some 2 ms for each.
 */
import { readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'

/** A larger file stays with the views that need it. */
const mostBytes = 2_048
const shared = 'shared-modules'

/** Takes what a build without it said; `main` is the module that every page begins with. */
export function shareModules(root: string, { inputs, outputs }: Metafile, main: string): Plugin {
  const entries = new Set(
    Object.values(outputs).flatMap(({ entryPoint = main }) => (/^web\/.*\.tsx?$/.test(entryPoint) ? entryPoint : [])),
  )
  entries.delete(main)
  const modules = listShared({ inputs, outputs }, main)
  return {
    name: shared,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${shared}$`) }, () => ({ path: shared, namespace: shared }))
      onLoad({ filter: /^/, namespace: shared }, () => ({ contents: importAll(root, modules), resolveDir: root }))
      onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        if (!entries.has(relative(root, path))) return undefined
        const contents = `${await readFile(path, 'utf8')}\nimport '${shared}'\n`
        return { contents, loader: extname(path) === '.tsx' ? 'tsx' : 'ts' }
      })
    },
  }
}

const importAll = (root: string, paths: readonly string[]): string =>
  paths.map((path) => `import ${JSON.stringify(join(root, path))}\n`).join('')

/** What `main` imports is loaded anyway. A small module is shared unless it would bring one along that is not. */
function listShared({ inputs, outputs }: Metafile, main: string): string[] {
  const importsOf = (path: string) =>
    inputs[path]!.imports.flatMap(({ path: imported, kind, external }) =>
      kind === 'import-statement' && !external ? imported : [],
    )
  const loaded = new Set([main])
  for (const path of loaded) for (const imported of importsOf(path)) loaded.add(imported)
  const small = Object.values(outputs).filter(({ bytes, entryPoint }) => !entryPoint && bytes <= mostBytes)
  const taken = new Set(small.flatMap((output) => Object.keys(output.inputs)))
  const bringsAlong = (path: string) => importsOf(path).some((each) => !taken.has(each) && !loaded.has(each))
  for (let before = -1; before !== taken.size; ) {
    before = taken.size
    for (const path of taken) if (bringsAlong(path)) taken.delete(path)
  }
  loaded.delete(main)
  return [...new Set([...loaded, ...taken])].sort()
}
