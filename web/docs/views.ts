/** The views of the documents. */
export { Documents, DocumentView } from './documents.tsx'
export { ReferenceView } from './reference.tsx'
