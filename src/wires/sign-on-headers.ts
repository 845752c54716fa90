/** What single sign-on says in headers: by the contract's name and by the one that published clients look for. */

export const signOnHeaders = (value: string) => ({ 'x-platform-sso': value, 'x-github-sso': value })

/** Where the person of the refused token goes to authorise it. */
export const requireSignOn = (address: string) => signOnHeaders(`required; url=${address}`)
