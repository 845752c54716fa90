/** A Git LFS object: a file identified by its SHA-256 and its size. */
export type LfsObject = { readonly oid: string; readonly size: number }

/** The only hash algorithm for object names. */
export const hashAlgorithm = 'sha256'

export const isOid = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
