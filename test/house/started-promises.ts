/** Finds promises that are started and left alone while something else is awaited: the linter sees statements only. */
import { join } from 'node:path'
import {
  type ArrowFunction,
  type FunctionExpression,
  isArrayLiteralExpression,
  isArrowFunction,
  isAwaitExpression,
  isCallExpression,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isMethodDeclaration,
  isNewExpression,
  isObjectLiteralExpression,
  isPropertyAssignment,
  isVariableDeclaration,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { API, type Checker, SignatureKind, TypeFlags } from 'typescript/unstable/sync'

/** `name` is the variable's, or that of the function which is given something. */
export type Finding = { readonly file: string; readonly line: number; readonly name: string; readonly why: string }

const root = join(import.meta.dirname, '..', '..')
/** Of the sources alone: what else there is would be read and bound for nothing. */
const project = join(import.meta.dirname, 'promises.tsconfig.json')

/** In every file of the project whose path from its root passes the test. */
export function findStartedPromises(isMeant: (path: string) => boolean): Finding[] {
  const api = new API({ cwd: root })
  try {
    const snapshot = api.updateSnapshot({ openProjects: [project] })
    const { program, checker } = snapshot.getProjects()[0]!
    const names = program.getSourceFileNames().filter((name) => isMeant(name.slice(root.length + 1)))
    return names.flatMap((name) => {
      const file = program.getSourceFile(name)!
      return findInFile(file, checker).map(({ node, ...found }) => {
        const start = file.text.slice(0, node.getStart(file))
        return { file: name.slice(root.length + 1), line: start.split('\n').length, ...found }
      })
    })
  } finally {
    api.close()
  }
}

type Found = { readonly node: Node; readonly name: string; readonly why: string }

/** A place that is wrong if `asked` is a promise, and, for what a call is given, if the call's receiver drops it. */
type Suspect = Found & { readonly asked: Node; readonly given?: { readonly call: Node; readonly index: number } }

/** The compiler is asked about a file's suspects together: each question is a message to another process. */
function findInFile(file: SourceFile, checker: Checker): Found[] {
  const suspects = listSuspects(file)
  const types = checker.getTypeAtLocation(suspects.map(({ asked }) => asked))
  return suspects.flatMap(({ given, asked: _asked, ...found }, index) => {
    const type = types[index]
    if (type === undefined || !isPromiseText(checker.typeToString(type))) return []
    return given === undefined || isVoidExpected(given.call, given.index, checker) ? [found] : []
  })
}

function listSuspects(file: SourceFile): Suspect[] {
  const suspects: Suspect[] = []
  walk(file, (node) => {
    if (isVariableDeclaration(node) && isIdentifier(node.name) && node.initializer) {
      const { initializer, name } = node
      if (isAwaitExpression(initializer) || isFunction(initializer) || !isLeftWhileAwaiting(node, name.text)) return
      const why = 'is started here, and something else is awaited before it'
      suspects.push({ node, asked: initializer, name: name.text, why })
    }
    const parts = partsOf(node)
    const lastAwait = parts.findLastIndex(awaitsSomething)
    for (const part of parts.slice(0, Math.max(lastAwait, 0))) {
      if (isAwaitExpression(part) || isFunction(part) || isIdentifier(part)) continue
      const why = 'is started here, and what stands after it is awaited first'
      suspects.push({ node: part, asked: part, name: part.getText(file), why })
    }
    if (!isCallExpression(node) && !isNewExpression(node)) return
    node.arguments?.forEach((part, index) => {
      if (!isArrowFunction(part) && !isFunctionExpression(part)) return
      const asked = answerOf(part)
      if (!asked) return
      const why = 'drops the promise that this function answers'
      suspects.push({ node: part, asked, given: { call: node, index }, name: node.expression.getText(file), why })
    })
  })
  return suspects
}

/** Where a function's answer may be a promise: the call that it consists of, or, of an async one, the function itself. */
function answerOf(node: ArrowFunction | FunctionExpression): Node | undefined {
  if (node.modifiers?.some(({ kind }) => kind === SyntaxKind.AsyncKeyword)) return node
  return isCallExpression(node.body) ? node.body : undefined
}

/** The variable's own function awaits something else before it names the variable. */
function isLeftWhileAwaiting(declaration: Node, name: string): boolean {
  const home = enclosingFunction(declaration)
  const events: { at: number; isUse: boolean }[] = []
  walk(home, (node) => {
    if (node.pos < declaration.end) return
    if (isIdentifier(node) && node.text === name) events.push({ at: node.pos, isUse: true })
    // What an await is for stands inside it, and is named before the wait begins.
    if (isAwaitExpression(node) && enclosingFunction(node) === home) events.push({ at: node.end, isUse: false })
  })
  events.sort((a, b) => a.at - b.at)
  return events[0]?.isUse === false
}

function partsOf(node: Node): readonly Node[] {
  if (isObjectLiteralExpression(node)) {
    return node.properties.map((property) => (isPropertyAssignment(property) ? property.initializer : property))
  }
  if (isCallExpression(node)) return node.arguments
  return isArrayLiteralExpression(node) ? node.elements : []
}

function awaitsSomething(node: Node): boolean {
  let isFound = isAwaitExpression(node)
  walk(node, (inner) => {
    if (isAwaitExpression(inner) && !hasFunctionBetween(inner, node)) isFound = true
  })
  return isFound
}

function hasFunctionBetween(inner: Node, outer: Node): boolean {
  for (let node = inner; node !== outer; node = node.parent) if (isFunction(node)) return true
  return isFunction(outer)
}

const isFunction = (node: Node): boolean =>
  isArrowFunction(node) || isFunctionExpression(node) || isFunctionDeclaration(node) || isMethodDeclaration(node)

function enclosingFunction(node: Node): Node {
  let home = node.parent
  while (home.parent && !isFunction(home)) home = home.parent
  return home
}

/** A promise, a list of them, what may be one, or a function that answers one. */
const isPromiseText = (text: string): boolean => /^(?:\(.*\) => )?\(?(?:.* \| )?(?:Promise|Awaitable)</.test(text)

/** The one who is given a function at this place does not look at what it answers. */
function isVoidExpected(call: Node, index: number, checker: Checker): boolean {
  const signature = checker.getResolvedSignature(call)
  const parameter = signature && checker.getParameterType(signature, index)
  const signatures = parameter ? checker.getSignaturesOfType(parameter, SignatureKind.Call) : []
  const returned = signatures.map((each) => checker.getReturnTypeOfSignature(each))
  return returned.length > 0 && returned.every((type) => type !== undefined && (type.flags & TypeFlags.Void) !== 0)
}

function walk(node: Node, visit: (node: Node) => void): void {
  node.forEachChild((child) => {
    visit(child)
    walk(child, visit)
  })
}
