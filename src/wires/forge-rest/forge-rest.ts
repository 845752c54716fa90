/** The forge's wire. It owns every path that no other wire does, so the answer to an unknown one is its own. */
import type { FastifyInstance } from 'fastify'
import { notFoundBody } from './errors.ts'

export type ForgeRest = { readonly baseUrl: string | undefined }

export async function forgeRest(server: FastifyInstance, { baseUrl }: ForgeRest): Promise<void> {
  server.setNotFoundHandler((request, reply) => {
    const origin = baseUrl ?? `${request.protocol}://${request.host}`
    return reply.code(404).send(notFoundBody(`${origin}/-/docs/hosting`))
  })
}
