/** The data sets' wire, under /v2. */
import type { FastifyInstance } from 'fastify'
import { errorBody } from './errors.ts'

export async function datasetApi(server: FastifyInstance): Promise<void> {
  server.setNotFoundHandler((_request, reply) =>
    reply.code(404).send(errorBody('record-not-found', 'There is nothing at this address.')),
  )
}
