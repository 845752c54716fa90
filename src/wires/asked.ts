/** What tells who asks, and of whom: the part of a request that authentication and links need. */
import type { FastifyRequest } from 'fastify'

export type Asked = Pick<FastifyRequest, 'headers' | 'ip' | 'protocol' | 'host' | 'socket'>
