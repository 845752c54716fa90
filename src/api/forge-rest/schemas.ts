/** Building blocks of request bodies. */
import { Type } from 'typebox'

export const Text = (maxLength: number, minLength = 0) => Type.String({ format: 'text', minLength, maxLength })
export const NullableText = (maxLength: number) => Type.Union([Text(maxLength), Type.Null()])
export const Flag = Type.Boolean()
export const OneOf = <const T extends string>(...values: T[]) => Type.Unsafe<T>({ type: 'string', enum: values })
export const Optional = Type.Optional
export const Shape = Type.Object
export const List = Type.Array
export const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
export { Type }
