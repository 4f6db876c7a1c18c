import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { getCurrentExchange } from '../client/exchange.js'
import { ClientCall, type ClientCallOptions, type PendingRequest, WaitingCalls } from './client-call.js'
import type { ClientNotification } from './client-notification.js'

const NAME_REQUEST = { method: 'elicitation/create', params: { message: 'Your name?' } }
const SAMPLE_REQUEST = { method: 'sampling/createMessage', params: { messages: [] } }
const ALICE_ANSWER = { action: 'accept', content: { name: 'Alice' } }

const createOptions = (options: Partial<ClientCallOptions>): ClientCallOptions => ({
  requestKey: 'tools/call x',
  capabilities: { elicitation: {} },
  meta: {},
  initialAnswers: {},
  folders: () => ['/project'],
  ...options,
})

function createPendingRequest(
  notifications: ClientNotification[] = [],
  signal = new AbortController().signal,
): PendingRequest {
  return { signal, notify: (notification) => void notifications.push(notification) }
}

const createCall = <R>(work: (call: ClientCall<R>) => Promise<R>, options: Partial<ClientCallOptions> = {}) =>
  new ClientCall(createOptions(options), work)

test('a call of a client continues when its questions are answered', async () => {
  const starts: string[] = []
  const call = createCall(async (clientCall) => {
    starts.push('once')
    const { name } = await clientCall.answer({ name: NAME_REQUEST })
    return name
  })

  expect(await call.advance(createPendingRequest())).toEqual({ inputRequests: { name: NAME_REQUEST } })
  call.supplyResponses({ name: ALICE_ANSWER })
  expect(await call.advance(createPendingRequest())).toEqual({ result: ALICE_ANSWER })
  expect(starts).toEqual(['once'])
})

test('unanswered questions to the client are asked again, and invalid answers are ignored', async () => {
  const call = createCall((clientCall) => clientCall.answer({ first: NAME_REQUEST, second: NAME_REQUEST }))
  await call.advance(createPendingRequest())

  call.supplyResponses({ first: ALICE_ANSWER, second: 12_345, third: ALICE_ANSWER })

  expect(await call.advance(createPendingRequest())).toEqual({ inputRequests: { second: NAME_REQUEST } })
})

test('answers sent with the first request are used for the questions with the same keys', async () => {
  const call = createCall((clientCall) => clientCall.answer({ name: NAME_REQUEST }), {
    initialAnswers: { name: ALICE_ANSWER, other: ALICE_ANSWER },
  })

  expect(await call.advance(createPendingRequest())).toEqual({ result: { name: ALICE_ANSWER } })
})

test('two servers that choose the same key get separate answers', async () => {
  const call = createCall((clientCall) =>
    Promise.all([clientCall.answer({ name: NAME_REQUEST }), clientCall.answer({ name: NAME_REQUEST })]),
  )
  expect(await call.advance(createPendingRequest())).toEqual({
    inputRequests: { name: NAME_REQUEST, name_2: NAME_REQUEST },
  })

  call.supplyResponses({ name: ALICE_ANSWER, name_2: { action: 'decline' } })

  expect(await call.advance(createPendingRequest())).toEqual({
    result: [{ name: ALICE_ANSWER }, { name: { action: 'decline' } }],
  })
})

test('a client is not asked for anything that it does not support', async () => {
  const call = createCall((clientCall) => clientCall.answer({ name: NAME_REQUEST, roots: { method: 'roots/list' } }), {
    capabilities: {},
  })

  expect(await call.advance(createPendingRequest())).toEqual({
    result: { name: { action: 'cancel' }, roots: { roots: [{ uri: 'file:///project', name: '/project' }] } },
  })
  await expect(
    createCall((clientCall) => clientCall.answer({ sample: SAMPLE_REQUEST })).advance(createPendingRequest()),
  ).rejects.toMatchObject({
    code: -32_021,
  })
})

test('asynchronous work of a client call can get the exchange of that call, and other work cannot', async () => {
  const call = createCall(async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return getCurrentExchange()
  })

  expect(await call.advance(createPendingRequest())).toEqual({ result: call })
  expect(getCurrentExchange()).toBeUndefined()
})

test('progress of a client call is sent to its pending request', async () => {
  const notifications: ClientNotification[] = []
  const createProgress = (n: number) => ({ method: 'notifications/progress', params: { progress: n } })
  const call = createCall(async (clientCall) => {
    clientCall.notify(createProgress(0))
    await clientCall.answer({ name: NAME_REQUEST })
    clientCall.notify(createProgress(1))
  })

  await call.advance(createPendingRequest(notifications))
  call.supplyResponses({ name: ALICE_ANSWER })
  await call.advance(createPendingRequest(notifications))

  expect(notifications).toEqual([createProgress(0), createProgress(1)])
})

test('a client that disconnects cancels the call', async () => {
  const disconnect = new AbortController()
  const call = createCall(
    (clientCall) =>
      new Promise((_, reject) => clientCall.signal.addEventListener('abort', () => reject(clientCall.signal.reason))),
  )

  const step = call.advance(createPendingRequest([], disconnect.signal))
  disconnect.abort()

  await expect(step).rejects.toThrow('cancelled the request')
})

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('a waiting call can be continued only once with its state token', async () => {
  const waitingCalls = new WaitingCalls()
  const call = createCall((clientCall) => clientCall.answer({ name: NAME_REQUEST }))
  const state = waitingCalls.add(call)

  expect(() => waitingCalls.remove(`${state}x`)).toThrow()
  expect(waitingCalls.remove(state)).toBe(call)
  expect(() => waitingCalls.remove(state)).toThrow()
})

test('a waiting call is cancelled if the client does not return', async () => {
  const waitingCalls = new WaitingCalls()
  const call = createCall((clientCall) => clientCall.answer({ name: NAME_REQUEST }))
  await call.advance(createPendingRequest())
  const state = waitingCalls.add(call)

  vi.advanceTimersByTime(11 * 60 * 1000)

  expect(() => waitingCalls.remove(state)).toThrow()
  await expect(call.advance(createPendingRequest())).rejects.toThrow('did not send its answers')
})
