/** Names of branches with slashes in addresses, as clients write them that leave the slashes as they are. */

const place = `^(?:/api/v3)?/(?:repos/[^/?]+/[^/?]+|repositories/[^/?]+)`
const ofCommit = new RegExp(
  String.raw`(${place}/commits/)([^?]+)(/(?:status|statuses|check-runs|check-suites)(?:\?.*)?$)`,
)
const ofBranch = new RegExp(String.raw`(${place}/branches/)([^?]+?)(/(?:protection(?:/[^?]*)?|rename)(?:\?.*)?$)`)

/** `/commits/feature/one/status` is about the ref `feature/one`: with its slash encoded, a route finds it. */
export function encodeSlashedRef(url: string): string {
  if (!url.includes('/commits/') && !url.includes('/branches/')) return url
  const [, start, ref, end] = ofCommit.exec(url) ?? ofBranch.exec(url) ?? []
  return ref?.includes('/') ? start! + ref.replaceAll('/', '%2F') + end! : url
}
