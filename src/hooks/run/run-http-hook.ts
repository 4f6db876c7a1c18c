import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { HookEnd } from '../answer/hook-answer.js'
import type { HttpHook } from '../config/hook-config.js'
import { CappedOutput, MAX_OUTPUT_BYTES } from './capped-output.js'
import type { HookCall } from './hook-call.js'

/** Posts the payload and reads the response like the stdout of a command. Redirects are not followed. */
export async function runHttpHook(hook: HttpHook, call: HookCall): Promise<HookEnd> {
  const url = new URL(hook.url)
  const { request: send } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  if (call.signal.aborted) return { type: 'stopped' }
  const options: RequestOptions = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...fillHeaders(hook, call.headerVariable),
      'content-length': Buffer.byteLength(call.json),
    },
    // A keep-alive connection would outlive the hook.
    agent: false,
  }
  const request = send(url, options)
  return await new Promise((resolve) => {
    const stop = () => {
      resolve({ type: 'stopped' })
      request.destroy()
    }
    call.signal.addEventListener('abort', stop, { once: true })
    request.once('close', () => call.signal.removeEventListener('abort', stop))
    request.on('error', (error) => resolve({ type: 'failed', message: `The request failed: ${error.message}` }))
    request.once('response', (response) => readResponse(request, response).then(resolve))
    request.end(call.json)
  })
}

async function readResponse(request: ClientRequest, response: IncomingMessage): Promise<HookEnd> {
  const status = response.statusCode ?? 0
  if (status < 200 || status > 299) {
    request.destroy()
    const advice =
      status >= 300 && status < 400 ? ' Redirects are not followed: configure the URL that it redirects to.' : ''
    return { type: 'failed', message: `The server responded with status ${status}.${advice}` }
  }
  const body = new CappedOutput(response)
  response.on('data', () => {
    if (body.hasOverflowed) request.destroy()
  })
  await body.closed
  if (body.hasOverflowed)
    return { type: 'failed', message: `The response has more than ${MAX_OUTPUT_BYTES} bytes, so it was ignored.` }
  if (!response.complete) return { type: 'failed', message: 'The connection broke before the response was complete.' }
  return { type: 'text', text: body.text }
}

const VARIABLE_REFERENCE = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g

/** Replaces variables in the headers. Variables that are not allowed become empty, so that settings cannot leak secrets. */
function fillHeaders(hook: HttpHook, headerVariable: HookCall['headerVariable']): Record<string, string> {
  const allowedVariables = new Set(hook.allowedEnvVars)
  const fillVariables = (text: string) =>
    text.replace(VARIABLE_REFERENCE, (_, bracedName: string | undefined, bareName: string | undefined) => {
      const name = bracedName ?? bareName ?? ''
      return allowedVariables.has(name) ? (headerVariable(name) ?? '') : ''
    })
  return Object.fromEntries(
    Object.entries(hook.headers).map(([name, value]) => [name.toLowerCase(), fillVariables(value)]),
  )
}
