import { pathToFileURL } from 'node:url'
import { type ClientCapabilities, MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server'
import type { InputRequest } from '../client/exchange.js'

/** Whether a client said that it takes such requests. */
export function canAnswer({ method, params }: InputRequest, capabilities: ClientCapabilities): boolean {
  const { roots, sampling, elicitation } = capabilities
  if (method === 'roots/list') return roots !== undefined
  if (method === 'sampling/createMessage') return sampling !== undefined
  if (method !== 'elicitation/create' || elicitation === undefined) return false
  if (params?.mode === 'url') return elicitation.url !== undefined
  // Older clients say nothing of forms, which were all there was.
  return elicitation.form !== undefined || elicitation.url === undefined
}

/** What a server is told where its client cannot be asked. */
export function answerInstead({ method }: InputRequest, folders: readonly string[]): Readonly<Record<string, unknown>> {
  if (method === 'roots/list') return { roots: folders.map((path) => ({ uri: pathToFileURL(path).href, name: path })) }
  if (method === 'elicitation/create') return { action: 'cancel' }
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
}
