import { expect, test } from 'vitest'
import { type CarrierFacts, chooseCarrier, isCarrierRejection } from './choose-carrier.js'

const supports = { endpoint: { supportsDeferLoading: true } }
const refuses = { endpoint: { supportsDeferLoading: false } }

test.each<[CarrierFacts, 'native' | 'portable', string]>([
  [{}, 'portable', 'not known to support'],
  [{ endpoint: {} }, 'portable', 'not known to support'],
  [refuses, 'portable', 'not known to support'],
  [supports, 'native', 'known to support'],
  [{ byHand: 'native' }, 'native', 'by hand'],
  [{ ...refuses, byHand: 'native' }, 'native', 'by hand'],
  [{ ...supports, byHand: 'portable' }, 'portable', 'by hand'],
  [{ ...supports, wasRejected: true }, 'portable', 'refused'],
  [{ byHand: 'native', wasRejected: true }, 'portable', 'refused'],
  [{ ...supports, betasDisabled: true }, 'portable', 'HAFT_DISABLE_EXPERIMENTAL_BETAS'],
  [{ byHand: 'native', betasDisabled: true }, 'portable', 'HAFT_DISABLE_EXPERIMENTAL_BETAS'],
])('%j: %s', (facts, carrier, reason) => {
  expect(chooseCarrier(facts)).toEqual({ carrier, reason: expect.stringContaining(reason) })
})

const refusal = 'tools.0.custom.defer_loading: Extra inputs are not permitted'
/** As the SDK throws it: the status, and the body as it came. */
const sdkError = (status: number, message: string) =>
  Object.assign(new Error(`${status} ${JSON.stringify({ error: { message } })}`), {
    status,
    error: { type: 'error', error: { type: 'invalid_request_error', message } },
  })

test.each<[string, unknown]>([
  ['the SDK', sdkError(400, refusal)],
  ['the SDK, for a reference', sdkError(400, "messages.3.content.0: Input tag 'tool_reference' found")],
  [
    'a proxy that wraps the answer',
    { error: { message: `{"message":"${refusal}"}. Received Model Group=m`, type: 'None', code: '400' } },
  ],
  [
    'a gateway to another protocol',
    {
      error: {
        code: 400,
        message: 'Invalid JSON payload received. Unknown name "defer_loading" at \'request.tools[0]\'',
      },
    },
  ],
  ['a gateway that checks by a schema', { status: 422, body: { detail: [{ loc: ['tools', 0, 'defer_loading'] }] } }],
  ['the AI SDK', Object.assign(new Error('Bad Request'), { statusCode: 400, responseBody: refusal })],
  ['an axios error', { message: 'failed', response: { status: 400, data: { message: refusal } } }],
  ['a cause', new Error('request failed', { cause: sdkError(400, refusal) })],
  ['a line of text', `API Error: 400 ${refusal}`],
])('%s refuses the fields', (_, error) => expect(isCarrierRejection(error)).toBe(true))

const cyclic: Record<string, unknown> = { status: 400 }
cyclic.error = cyclic

test.each<[string, unknown]>([
  ['another refusal', sdkError(400, 'max_tokens: field required')],
  ['an overload that mentions the field', sdkError(529, refusal)],
  ['a rate limit', sdkError(429, 'defer_loading')],
  ['a wrong key', sdkError(401, refusal)],
  ['text without a status', 'what is defer_loading?'],
  ['nothing', undefined],
  ['null', null],
  ['a number', 400],
  ['an endless error', cyclic],
])('%s does not', (_, error) => expect(isCarrierRejection(error)).toBe(false))
