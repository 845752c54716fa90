/** Small drawings: a machine may have no font with pictures. */

const shapes = {
  folder: 'M1.5 3.5h4.6l1.6 2h6.8v7.5a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1z',
  file: 'M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3',
  link: 'M6.5 9.5l3-3M7.5 4.5l1.6-1.6a2.8 2.8 0 0 1 4 4L11.5 8.5M8.5 11.5l-1.6 1.6a2.8 2.8 0 0 1-4-4L4.5 7.5',
  comment: 'M2 2.5h12v8.5H7.500L4.500 13.800V11H2z',
  package: 'M2 4.5l6-3 6 3v7l-6 3-6-3zM2 4.5l6 3 6-3M8 7.5v7',
} as const

/** `label`: its text for screen readers. */
export const Icon = ({ name, label }: { name: keyof typeof shapes; label: string }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" role="img" aria-label={label}>
    <path d={shapes[name]} />
  </svg>
)
