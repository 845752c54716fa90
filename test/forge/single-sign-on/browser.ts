/** A small browser: it keeps cookies by origin, and goes where it is sent as far as it is told. */

export type Visit = { readonly status: number; readonly url: string; readonly location: string; readonly text: string }

export type Browser = ReturnType<typeof makeBrowser>

export function makeBrowser() {
  const jars = new Map<string, Map<string, string>>()

  async function visit(
    address: string,
    form?: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Visit> {
    const { origin } = new URL(address)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { ...(cookie && { cookie }), ...headers },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    const location = response.headers.get('location')
    return {
      status: response.status,
      url: address,
      location: location ? new URL(location, address).href : '',
      text: await response.text(),
    }
  }

  return {
    visit,

    /** Goes on until somewhere it is not sent on from, or until an address that begins like this. */
    async follow(first: Visit, until: string): Promise<Visit> {
      let page = first
      for (let i = 0; i < 20 && page.location && !page.location.startsWith(until); i++)
        page = await visit(page.location)
      return page
    },
  }
}
