/** The headers of single sign-on, under the contract's name and under the one that published clients read. */

export const signOnHeaders = (value: string) => ({ 'x-platform-sso': value, 'x-github-sso': value })

/** The address at which the token's owner can authorise it. */
export const requireSignOn = (address: string) => signOnHeaders(`required; url=${address}`)
