import { isSpecType, LOG_LEVEL_META_KEY, type LoggingLevel, type ServerContext } from '@modelcontextprotocol/server'
import type { FrontNotification, Leg } from './front-call.js'
import { isLoudEnough } from './log-levels.js'

/** A field that newer clients send with each request. */
export function envelopeField(envelope: object | undefined, key: string): unknown {
  return (envelope as Record<string, unknown> | undefined)?.[key]
}

/** A request of a client as a leg of its call: what is told on the way belongs to this request. */
export function legOf({ mcpReq }: ServerContext, sessionLevel: () => LoggingLevel | undefined): Leg {
  const { signal, _meta, envelope } = mcpReq
  const tell = (notification: FrontNotification): void => {
    // A client that has gone does not miss it.
    void mcpReq.notify(notification).catch(() => {})
  }
  const wants = (level: unknown): boolean => {
    if (envelope === undefined) return isLoudEnough(level, sessionLevel())
    // In this revision who says no level wants no log.
    const wanted = envelopeField(envelope, LOG_LEVEL_META_KEY)
    return isSpecType.LoggingLevel(wanted) && isLoudEnough(level, wanted)
  }
  return {
    signal,
    notify({ method, params }) {
      const progressToken = _meta?.progressToken
      if (method === 'notifications/message') {
        if (wants(params.level)) tell({ method, params })
      } else if (method !== 'notifications/progress') tell({ method, params })
      else if (progressToken !== undefined) tell({ method, params: { ...params, progressToken } })
    },
  }
}
