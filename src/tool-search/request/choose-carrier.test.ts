import { expect, test } from 'vitest'
import { type CarrierFacts, chooseCarrier, isCarrierRejection } from './choose-carrier.js'

const supportingEndpoint = { endpoint: { supportsDeferLoading: true } }
const unsupportedEndpoint = { endpoint: { supportsDeferLoading: false } }

test.each<[CarrierFacts, 'native' | 'portable', string]>([
  [{}, 'portable', 'not known to support'],
  [{ endpoint: {} }, 'portable', 'not known to support'],
  [unsupportedEndpoint, 'portable', 'not known to support'],
  [supportingEndpoint, 'native', 'known to support'],
  [{ configured: 'native' }, 'native', 'the settings specify'],
  [{ ...unsupportedEndpoint, configured: 'native' }, 'native', 'the settings specify'],
  [{ ...supportingEndpoint, configured: 'portable' }, 'portable', 'the settings specify'],
  [{ ...supportingEndpoint, wasRejected: true }, 'portable', 'rejected'],
  [{ configured: 'native', wasRejected: true }, 'portable', 'rejected'],
  [{ ...supportingEndpoint, areBetasDisabled: true }, 'portable', 'HAFT_DISABLE_EXPERIMENTAL_BETAS'],
  [{ configured: 'native', areBetasDisabled: true }, 'portable', 'HAFT_DISABLE_EXPERIMENTAL_BETAS'],
])('%j selects the carrier %s', (facts, carrier, reason) => {
  expect(chooseCarrier(facts)).toEqual({ carrier, reason: expect.stringContaining(reason) })
})

const rejection = 'tools.0.custom.defer_loading: Extra inputs are not permitted'
/** Creates an error as the Anthropic SDK throws it, with the status and the original body. */
const createSdkError = (status: number, message: string) =>
  Object.assign(new Error(`${status} ${JSON.stringify({ error: { message } })}`), {
    status,
    error: { type: 'error', error: { type: 'invalid_request_error', message } },
  })

test.each<[string, unknown]>([
  ['the SDK', createSdkError(400, rejection)],
  ['the SDK about a tool reference', createSdkError(400, "messages.3.content.0: Input tag 'tool_reference' found")],
  [
    'a proxy that wraps the answer',
    { error: { message: `{"message":"${rejection}"}. Received Model Group=m`, type: 'None', code: '400' } },
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
  [
    'a gateway that validates against a schema',
    { status: 422, body: { detail: [{ loc: ['tools', 0, 'defer_loading'] }] } },
  ],
  ['the AI SDK', Object.assign(new Error('Bad Request'), { statusCode: 400, responseBody: rejection })],
  ['an axios error', { message: 'failed', response: { status: 400, data: { message: rejection } } }],
  ['a cause', new Error('request failed', { cause: createSdkError(400, rejection) })],
  ['a line of text', `API Error: 400 ${rejection}`],
])('an error from %s is a rejection of the native fields', (_, error) => expect(isCarrierRejection(error)).toBe(true))

const cyclicError: Record<string, unknown> = { status: 400 }
cyclicError.error = cyclicError

test.each<[string, unknown]>([
  ['a rejection of another field', createSdkError(400, 'max_tokens: field required')],
  ['an overload that mentions the field', createSdkError(529, rejection)],
  ['a rate limit', createSdkError(429, 'defer_loading')],
  ['a wrong API key', createSdkError(401, rejection)],
  ['text without a status', 'what is defer_loading?'],
  ['undefined', undefined],
  ['null', null],
  ['a number', 400],
  ['a cyclic error', cyclicError],
])('%s is not a rejection of the native fields', (_, error) => expect(isCarrierRejection(error)).toBe(false))
