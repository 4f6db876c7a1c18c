/** Options of one HTTP request. */
export interface HttpRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal
  readonly maxBytes?: number
}

/** An HTTP response with its whole body. */
export interface HttpResponse {
  readonly status: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Sends single HTTP requests. Redirects are not followed, and the host blocks private addresses. */
export interface HttpPort {
  fetch(url: string, request?: HttpRequest): Promise<HttpResponse>
}
