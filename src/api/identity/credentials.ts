/** The part of a request that authentication and links read. */
import type { FastifyRequest } from 'fastify'

export type CredentialRequest = Pick<FastifyRequest, 'headers' | 'ip' | 'protocol' | 'host' | 'socket'>
