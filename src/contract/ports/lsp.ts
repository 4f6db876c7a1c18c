export interface LspPosition {
  readonly path: string
  readonly line: number
  readonly character: number
}

export interface LspDiagnostic extends LspPosition {
  readonly severity: 'error' | 'warning' | 'information' | 'hint'
  readonly message: string
  readonly source?: string
}

/** Language servers. */
export interface LspPort {
  request(
    operation: string,
    at: LspPosition,
    options?: { readonly signal?: AbortSignal; readonly newName?: string },
  ): Promise<unknown>
  diagnostics(
    path: string,
    options?: { readonly signal?: AbortSignal; readonly waitMs?: number },
  ): Promise<readonly LspDiagnostic[]>
}
