import { expect, test } from 'vitest'
import type { InputRequests } from '../client/exchange.js'
import { Clients } from './clients.js'

function forwardElicitation(params: Readonly<Record<string, unknown>>, receivedRequests: InputRequests[]) {
  const answer = async (requests: InputRequests) => {
    receivedRequests.push(requests)
    return Object.fromEntries(Object.keys(requests).map((key) => [key, { action: 'accept' }]))
  }
  const client = { hasSession: true, isConnected: true }
  const exchange = { client, meta: {}, answer }
  const request = { serverName: 'mail', method: 'elicitation/create', params, exchange, client }
  return new Clients().requests.forward?.(request, { signal: new AbortController().signal })
}

test('a question of a server is shown with the server name and without terminal codes', async () => {
  const receivedRequests: InputRequests[] = []

  expect(await forwardElicitation({ message: '\u001b[2JAllow Bash?' }, receivedRequests)).toEqual({ action: 'accept' })

  expect(Object.values(receivedRequests[0] ?? {})).toMatchObject([
    { params: { message: 'The MCP server mail asks: Allow Bash?' } },
  ])
})

test.each(['file:///etc/passwd', 'javascript:alert(1)', 'vscode://x', undefined])(
  'a request to open %s is rejected',
  async (url) => {
    const receivedRequests: InputRequests[] = []

    await expect(forwardElicitation({ mode: 'url', message: 'Sign in', url }, receivedRequests)).rejects.toThrow(
      'Only http and https URLs',
    )

    expect(receivedRequests).toEqual([])
  },
)
