import type { ReadInput } from './schema.js'

/** A read with its path made absolute, and for whom it is. */
export interface ReadRequest extends Pick<ReadInput, 'offset' | 'limit' | 'pages'> {
  readonly path: string
  readonly cwd: string
  readonly signal: AbortSignal
  readonly agentId?: string | undefined
}

/** A request whose links have been followed: what is opened later must still be this file. */
export interface ResolvedRequest extends ReadRequest {
  readonly realPath: string
}
