/** Sending a large body with progress, which fetch does not tell. */
import { Fault, unreachable } from './fault.ts'

type Upload = {
  readonly url: string
  readonly type: string
  readonly body: Blob | string
  onProgress?(part: number): void
}

/** Resolves with the status and the text of the answer. */
export function upload({ url, type, body, onProgress }: Upload): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.setRequestHeader('content-type', type)
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total > 0 ? loaded / total : 0)
    request.onload = () => resolve({ status: request.status, text: request.responseText })
    request.onerror = () => reject(unreachable())
    request.send(body)
  })
}

/** One JSON-RPC call whose body is large. */
export async function callWithProgress<R = unknown>(
  method: string,
  params: Blob,
  onProgress: (part: number) => void,
): Promise<R> {
  const head = `{"jsonrpc":"2.0","id":"${crypto.randomUUID()}","method":"${method}","params":`
  const body = new Blob([head, params, '}'])
  const { text } = await upload({ url: '/', type: 'application/json', body, onProgress })
  const { result, error } = JSON.parse(text) as {
    result?: R
    error?: { code: number; message: string; data?: unknown }
  }
  if (error) throw new Fault(error.code, error.message, error.data)
  return result as R
}
