/** What a failure is called on this wire: a status, a sentence, and where to read on. */

export const notFoundBody = (docsUrl: string) => ({ message: 'Not Found', documentation_url: docsUrl, status: '404' })
