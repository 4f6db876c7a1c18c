export interface HttpRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal
  readonly maxBytes?: number
}

export interface HttpResponse {
  readonly status: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** One request, no redirect followed; the host keeps private addresses out of reach. */
export interface HttpPort {
  fetch(url: string, request?: HttpRequest): Promise<HttpResponse>
}
