import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { currentExchange } from '../client/exchange.js'
import {
  ClientCall,
  type ClientCallOptions,
  type ClientNotification,
  ParkedCalls,
  type PendingRequest,
} from './client-call.js'

const NAME = { method: 'elicitation/create', params: { message: 'Your name?' } }
const SAMPLE = { method: 'sampling/createMessage', params: { messages: [] } }
const ALICE = { action: 'accept', content: { name: 'Alice' } }

const optionsWith = (options: Partial<ClientCallOptions>): ClientCallOptions => ({
  about: 'tools/call x',
  capabilities: { elicitation: {} },
  meta: {},
  given: {},
  folders: () => ['/project'],
  ...options,
})

function pendingRequest(
  notifications: ClientNotification[] = [],
  signal = new AbortController().signal,
): PendingRequest {
  return { signal, notify: (notification) => void notifications.push(notification) }
}

const begin = <R>(work: (call: ClientCall<R>) => Promise<R>, options: Partial<ClientCallOptions> = {}) =>
  new ClientCall(optionsWith(options), work)

test('a call continues when its answers arrive', async () => {
  const begun: string[] = []
  const call = begin(async (own) => {
    begun.push('once')
    const { name } = await own.answer({ name: NAME })
    return name
  })

  expect(await call.next(pendingRequest())).toEqual({ inputRequests: { name: NAME } })
  call.supply({ name: ALICE })
  expect(await call.next(pendingRequest())).toEqual({ result: ALICE })
  expect(begun).toEqual(['once'])
})

test('unanswered questions are asked again, and invalid answers are ignored', async () => {
  const call = begin((own) => own.answer({ first: NAME, second: NAME }))
  await call.next(pendingRequest())

  call.supply({ first: ALICE, second: 12_345, third: ALICE })

  expect(await call.next(pendingRequest())).toEqual({ inputRequests: { second: NAME } })
})

test('answers sent with the first request are used for their keys', async () => {
  const call = begin((own) => own.answer({ name: NAME }), { given: { name: ALICE, other: ALICE } })

  expect(await call.next(pendingRequest())).toEqual({ result: { name: ALICE } })
})

test('two servers that choose the same key get separate answers', async () => {
  const call = begin((own) => Promise.all([own.answer({ name: NAME }), own.answer({ name: NAME })]))
  expect(await call.next(pendingRequest())).toEqual({ inputRequests: { name: NAME, name_2: NAME } })

  call.supply({ name: ALICE, name_2: { action: 'decline' } })

  expect(await call.next(pendingRequest())).toEqual({ result: [{ name: ALICE }, { name: { action: 'decline' } }] })
})

test('a client is not asked for anything that it does not support', async () => {
  const call = begin((own) => own.answer({ name: NAME, roots: { method: 'roots/list' } }), { capabilities: {} })

  expect(await call.next(pendingRequest())).toEqual({
    result: { name: { action: 'cancel' }, roots: { roots: [{ uri: 'file:///project', name: '/project' }] } },
  })
  await expect(begin((own) => own.answer({ sample: SAMPLE })).next(pendingRequest())).rejects.toMatchObject({
    code: -32_021,
  })
})

test('all asynchronous work of a call belongs to its exchange', async () => {
  const call = begin(async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return currentExchange()
  })

  expect(await call.next(pendingRequest())).toEqual({ result: call })
  expect(currentExchange()).toBeUndefined()
})

test('progress is sent to the pending request', async () => {
  const notifications: ClientNotification[] = []
  const progress = (n: number) => ({ method: 'notifications/progress', params: { progress: n } })
  const call = begin(async (own) => {
    own.notify(progress(0))
    await own.answer({ name: NAME })
    own.notify(progress(1))
  })

  await call.next(pendingRequest(notifications))
  call.supply({ name: ALICE })
  await call.next(pendingRequest(notifications))

  expect(notifications).toEqual([progress(0), progress(1)])
})

test('a client that disconnects cancels the call', async () => {
  const disconnect = new AbortController()
  const call = begin(
    (own) => new Promise((_, reject) => own.signal.addEventListener('abort', () => reject(own.signal.reason))),
  )

  const next = call.next(pendingRequest([], disconnect.signal))
  disconnect.abort()

  await expect(next).rejects.toThrow('cancelled the request')
})

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('a parked call can be taken once with its state token', async () => {
  const parked = new ParkedCalls()
  const call = begin((own) => own.answer({ name: NAME }))
  const state = parked.park(call)

  expect(() => parked.take(`${state}x`)).toThrow()
  expect(parked.take(state)).toBe(call)
  expect(() => parked.take(state)).toThrow()
})

test('a parked call is cancelled if the client does not return', async () => {
  const parked = new ParkedCalls()
  const call = begin((own) => own.answer({ name: NAME }))
  await call.next(pendingRequest())
  const state = parked.park(call)

  vi.advanceTimersByTime(11 * 60 * 1000)

  expect(() => parked.take(state)).toThrow()
  await expect(call.next(pendingRequest())).rejects.toThrow('did not send its answers')
})
