import { isRecord } from '../../shared/is-record.js'
import { reasonOf } from '../../shared/reason-of.js'

/** What an endpoint said of a request that failed, whatever shape it said it in. */
export interface EndpointFailure {
  readonly status: number | undefined
  readonly code: string
  readonly param: string
  readonly message: string
  readonly header: (name: string) => string | undefined
}

/** Reads it off an error of the SDK or of a stream; undefined for one that no endpoint sent. */
export function endpointFailure(error: unknown): EndpointFailure | undefined {
  if (!isRecord(error)) return undefined
  const { status, headers } = error
  const body = bodyOf(error.error)
  if (typeof status !== 'number' && body === undefined) return undefined
  return {
    status: typeof status === 'number' ? status : statusIn(body ?? {}),
    code: [body?.code, body?.type].filter((part) => typeof part === 'string').join(' '),
    param: typeof body?.param === 'string' ? body.param : '',
    message: messageIn(body) ?? reasonOf(error),
    header: (name) => (headers as Headers | undefined)?.get(name) ?? undefined,
  }
}

function bodyOf(body: unknown): Record<string, unknown> | undefined {
  if (typeof body === 'string') return { message: body }
  if (!isRecord(body)) return undefined
  return isRecord(body.error) ? body.error : body
}

/** Routers tell the status of the server behind them as the code of an error within the stream. */
function statusIn({ code, status }: Record<string, unknown>): number | undefined {
  return [code, status].find((value) => typeof value === 'number' && value >= 400 && value < 600) as number | undefined
}

function messageIn(body: Record<string, unknown> | undefined): string | undefined {
  if (typeof body?.message === 'string') return body.message
  return typeof body?.detail === 'string' ? body.detail : undefined
}
