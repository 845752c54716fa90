/** Headers for a problem's file: pictures are shown, everything else is downloaded, and nothing can run. */

/** An SVG alone on a page would be a document, so it gets a policy under which nothing runs or is fetched. */
const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
}

export function describeFile(path: string): Record<string, string> {
  const name = path.split('/').at(-1)!
  const type = types[/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '']
  return {
    'content-type': type ?? 'application/octet-stream',
    'content-disposition': `${type ? 'inline' : 'attachment'}; ${describeName(name)}`,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  }
}

const tableTypes = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const

export const describeTable = (name: string, format: keyof typeof tableTypes): Record<string, string> => ({
  'content-type': tableTypes[format],
  'content-disposition': `attachment; ${describeName(name)}`,
  'x-content-type-options': 'nosniff',
})

function describeName(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16)}`,
  )
  return `filename="${plain}"; filename*=UTF-8''${encoded}`
}
