/** Where git over SSH is served, for the links that lead there: known once the server listens, and nowhere if it does not. */

export type SshPlace = { port: number | undefined }

export const makeSshPlace = (): SshPlace => ({ port: undefined })

const usualPort = 22

/** Where nothing is served the link has the form of every other server's: it is a member that must be there. */
export function spellSshUrl(origin: string, { port = usualPort }: Readonly<SshPlace>, fullName: string): string {
  const host = new URL(origin).hostname
  return port === usualPort ? `git@${host}:${fullName}.git` : `ssh://git@${host}:${port}/${fullName}.git`
}
