/**
 * Requests to an identity provider: by https, or to origins that the operator allows; bounded in time and size;
 * redirects are not followed.
 */
import type { MayBePlain } from './provider.ts'

export const maxAnswerBytes = 256 * 1024
export const maxWaitMs = 10_000

type FetchOptions = {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

export const makeBoundedFetch =
  (mayBePlain: MayBePlain) =>
  async (address: string, { method = 'GET', headers = {}, body, signal }: FetchOptions): Promise<Response> => {
    const url = new URL(address)
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && mayBePlain(url.origin)))
      throw new Error(`${url.origin} is not reached by https`)
    const timeout = AbortSignal.timeout(maxWaitMs)
    const response = await fetch(url, {
      method,
      headers,
      body: (body as string | URLSearchParams | undefined) ?? null,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      if (bytes > maxAnswerBytes) throw new Error(`${url.origin} answers with more than ${maxAnswerBytes} bytes`)
      chunks.push(chunk)
    }
    const { status } = response
    const isEmpty = status === 204 || status === 304
    return new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers: response.headers })
  }
