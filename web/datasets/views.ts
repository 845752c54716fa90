/** The views of data sets. */
export { DatasetView } from './dataset.tsx'
export { Datasets } from './datasets.tsx'
