import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Fetch } from '../../providers/http/http-fetch.js'

/** Creates a server with an endless response: it sends the first text, then repeats the second until the client disconnects. */
export function createEndlessFetch(firstText: string, repeatedText: string): Fetch {
  return async (_, init) => {
    const { signal } = init ?? {}
    async function* generateBody() {
      yield Buffer.from(firstText)
      for (; signal?.aborted !== true; await nextTurn()) yield Buffer.from(repeatedText)
    }
    const headers = new Headers({ 'content-type': 'text/event-stream' })
    return { ok: true, status: 200, statusText: 'OK', url: '', headers, body: generateBody() } as unknown as Response
  }
}
