/** The views of exercise sheets. */
export { Extensions } from './extensions.tsx'
export { CopySheet } from './sheet-copying.tsx'
export { EditSheet, NewSheet } from './sheet-editing.tsx'
export { SheetResults } from './sheet-results.tsx'
export { SheetView } from './sheet-view.tsx'
export { SimilarityView } from './similarity.tsx'
