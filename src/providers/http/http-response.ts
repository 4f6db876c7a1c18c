import type { HttpBody } from './http-body.js'
import type { HttpHeaders } from './http-headers.js'

/** What is read of a text at most: texts are messages of errors, and only a stream is long. */
const MAX_TEXT_BYTES = 8_000_000

interface ResponseParts {
  readonly status: number
  readonly statusText: string
  readonly headers: HttpHeaders
  readonly url: string
  readonly body: HttpBody
}

/** The part of `Response` that providers' SDKs use. */
export class HttpResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: HttpHeaders
  readonly url: string
  readonly body: HttpBody
  readonly redirected = false
  readonly type = 'basic'

  constructor({ status, statusText, headers, url, body }: ResponseParts) {
    this.status = status
    this.statusText = statusText
    this.headers = headers
    this.url = url
    this.body = body
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  async text(): Promise<string> {
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of this.body) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_TEXT_BYTES) break
    }
    return Buffer.concat(chunks).subarray(0, MAX_TEXT_BYTES).toString('utf8')
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }
}
