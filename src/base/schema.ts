/** Schemas whose types are derived: TypeBox's builders, named in one place. */
export { Type } from 'typebox'
