/** The port on which git over SSH is served, for links: set once the server listens, undefined if it does not. */

export type SshPlace = { port: number | undefined }

export const makeSshPlace = (): SshPlace => ({ port: undefined })

const usualPort = 22

/** Without SSH the URL uses the usual port, because answers must have this member. */
export function spellSshUrl(origin: string, { port = usualPort }: Readonly<SshPlace>, fullName: string): string {
  const host = new URL(origin).hostname
  return port === usualPort ? `git@${host}:${fullName}.git` : `ssh://git@${host}:${port}/${fullName}.git`
}
