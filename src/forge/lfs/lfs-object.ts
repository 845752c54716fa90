/** An object of Git LFS: a file by its SHA-256 and its size. */
export type LfsObject = { readonly oid: string; readonly size: number }

/** The one hash that objects are named by. */
export const hashAlgorithm = 'sha256'

export const isOid = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
