/** What a failure is called on this wire. */

export const errorBody = (type: string, message: string, data?: object) => ({
  error: { type, message, ...(data && { data }) },
})
