/** Drives a real browser. `act` performs one action and returns what the page shows afterwards. */
export interface BrowserPort {
  act(
    action: { readonly type: string; readonly [detail: string]: unknown },
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly text: string; readonly screenshot?: Uint8Array }>
}
