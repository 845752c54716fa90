/** Checks names of refs and objects by git's own rules, before any of them reaches git. */

export const maxRefLength = 255

/** git-check-ref-format(1): the rules that make a name safe to write after `refs/`. */
export function isRefPart(name: string): boolean {
  return (
    name !== '' &&
    name.length <= maxRefLength &&
    name !== '@' &&
    !/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/.test(name) &&
    name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'))
  )
}

/** A branch must not look like an option, a commit, or another ref's full name, which git would find first. */
export const isBranchName = (name: string): boolean =>
  isRefPart(name) && !/^(?:-|refs\/)/.test(name) && name !== 'HEAD' && !looksLikeObjectId(name)

/** 40 or 64 hexadecimal digits: a branch or a tag of such a name would be taken for a commit. */
const looksLikeObjectId = (name: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)

/** Whether the ref's short name, which people and clients use, looks like an object id. */
export const passesForObject = (ref: string): boolean => looksLikeObjectId(ref.replace(/^refs\/(?:heads|tags)\//, ''))

export const nameRule =
  'a branch or a tag must not be named like a commit (40 or 64 hexadecimal digits), nor begin with a hyphen or with refs/, nor may a branch be named HEAD'

/** Whether a ref of this name may be made or moved. Names that an older server accepted may still be deleted. */
export function isWritableRef(ref: string): boolean {
  if (!/^refs\/[^/]+\/./.test(ref) || !isRefPart(ref)) return false
  const [, branch] = /^refs\/heads\/(.*)$/s.exec(ref) ?? []
  return branch === undefined ? !passesForObject(ref) && !/^refs\/tags\/(?:-|refs\/)/.test(ref) : isBranchName(branch)
}

export const isObjectId = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)

export const zeroId = '0'.repeat(40)
