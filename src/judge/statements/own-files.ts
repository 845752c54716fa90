/** Addresses in a statement that refer to the problem's files: pictures beside it, and attachments. */

const anyScheme = /^(?:[a-z][a-z0-9+.-]*:|[/#?\\])/i
/** The statement's folder in a package; its addresses are relative to it. */
const statementFolder = 'statement'

/** Returns the file's address, or undefined if it is not a relative path or leaves the package. */
export function addressOfFile(address: string | undefined, files: string | undefined): string | undefined {
  if (files === undefined || address === undefined || address === '' || anyScheme.test(address)) return undefined
  const path = resolvePath(address)
  return path && files + path.map(encodeURIComponent).join('/')
}

function resolvePath(address: string): readonly string[] | undefined {
  const isAttachment = address.startsWith('attachments/')
  const steps: string[] = isAttachment ? [] : [statementFolder]
  for (const part of address.split(/[?#]/, 1)[0]!.split('/')) {
    const step = decode(part)
    if (step === undefined || /[\0/\\]/.test(step)) return undefined
    if (step === '..') {
      if (steps.pop() === undefined) return undefined
    } else if (step !== '' && step !== '.') steps.push(step)
  }
  const isFolder = steps.length === 0 || (steps.length === 1 && steps[0] === statementFolder)
  return isFolder ? undefined : steps
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
