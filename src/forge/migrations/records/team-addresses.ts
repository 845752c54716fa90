/** Addresses of the teams that are exported; other teams get none. */

export type TeamAddresses = ReturnType<typeof makeTeamAddresses>

export function makeTeamAddresses() {
  const written = new Map<number, string>()
  return {
    note: (id: number, address: string) => void written.set(id, address),
    addressOrNull: (id: number): string | null => written.get(id) ?? null,
  }
}
