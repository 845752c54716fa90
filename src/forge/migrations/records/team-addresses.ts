/** Teams that are among the records: only those have an address that leads somewhere. */

export type TeamAddresses = ReturnType<typeof makeTeamAddresses>

export function makeTeamAddresses() {
  const written = new Map<number, string>()
  return {
    note: (id: number, address: string) => void written.set(id, address),
    addressOrNull: (id: number): string | null => written.get(id) ?? null,
  }
}
