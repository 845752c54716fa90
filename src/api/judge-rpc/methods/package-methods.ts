/** JSON-RPC methods of problem packages. */
import { Type } from 'typebox'
import type { Limits } from '../../../judge/limits.ts'
import type { PackageImport } from '../../../judge/packages/package-import.ts'
import type { Problems } from '../../../judge/problems/problems.ts'
import { defineMethod, type Method } from '../method.ts'
import { Base64, Uint64 } from '../shapes/basic-shapes.ts'
import { ProblemSchema, presentProblem } from '../shapes/problem-shapes.ts'
import { withZip } from '../zip-param.ts'

type Needs = { packages: PackageImport; problems: Problems; limits: Limits }

export const packageMethods = ({ packages, problems, limits }: Needs): Method[] => [
  defineMethod({
    name: 'import_problem_package',
    summary: 'Imports a problem from a zipped problem package, all or nothing, and lists what could not be imported.',
    params: Type.Object({ ZippedPackage: Base64(limits.archiveBytes) }),
    result: Type.Object({ Problem: ProblemSchema, TestCaseCount: Uint64, NoteList: Type.Array(Type.String()) }),
    async run({ actor, uploads, signal }, { ZippedPackage }) {
      const { uuid, testCount, notes } = await withZip(
        { name: 'ZippedPackage', text: ZippedPackage, uploads, limits },
        (zip) => packages.importZip(actor, zip, signal),
      )
      const problem = await problems.get(actor, uuid)
      return { Problem: presentProblem(problem), TestCaseCount: testCount, NoteList: [...notes] }
    },
  }),
]
