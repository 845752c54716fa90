/** The tables of the store itself: which data folder belongs to this database, and which backups are being made. */

/** One row. */
export type InstallationTable = { singleton: 1; id: string; created_at: number }

/** While one that has not expired is here, folders of deleted repositories stay: a backup may still want them. */
export type BackupHoldTable = { id: string; expires_at: number }

export type InstallationSchema = { installation: InstallationTable; backup_hold: BackupHoldTable }
