import type { HttpServerConfig } from '../config/server-config.js'

/** What a server says when it turns a request away. */
export interface Challenge {
  readonly scope?: string
  readonly resourceMetadataUrl?: URL
  /** The person is signed in, and the request needs more than they granted. */
  readonly isForMore: boolean
}

/** Undefined where the answer has nothing to do with signing in. */
export async function challengeOf(response: Response): Promise<Challenge | undefined> {
  if (response.status !== 401 && response.status !== 403) return undefined
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
  const { scope, resourceMetadataUrl, error } = extractWWWAuthenticateParams(response)
  const isForMore = response.status === 403
  if (isForMore && error !== 'insufficient_scope') return undefined
  return {
    isForMore,
    ...(scope !== undefined && { scope }),
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
  }
}

/** A server that is given its authorisation by the configuration is not signed in to. */
export function hasOwnAuthorization({ headers }: HttpServerConfig): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}
