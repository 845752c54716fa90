/** How a problem's file is sent: a picture is shown, all else is saved; and whatever it is, it can do nothing. */

/** SVG is a picture alone: in a page of its own it would be a document, so it is put where nothing runs or is fetched. */
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
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
  return {
    'content-type': type ?? 'application/octet-stream',
    'content-disposition': `${type ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  }
}
