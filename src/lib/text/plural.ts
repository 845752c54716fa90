/** A number and what it counts: `1 item`, `2,000 items`, `2 classes`. */
export const plural = (count: number, one: string): string =>
  `${count.toLocaleString('en')} ${one}${count === 1 ? '' : /(?:s|x|ch|sh)$/.test(one) ? 'es' : 's'}`
