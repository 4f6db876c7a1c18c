/** Lines and characters count from 1, as a reader of the file counts them. */
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

/** What a language server can be asked, by the names that models know. */
export const LSP_OPERATIONS = [
  'goToDefinition',
  'findReferences',
  'hover',
  'documentSymbol',
  'workspaceSymbol',
  'goToImplementation',
  'incomingCalls',
  'outgoingCalls',
  'rename',
] as const

export type LspOperation = (typeof LSP_OPERATIONS)[number]

/** Language servers, started when first needed. Paths are absolute. */
export interface LspPort {
  /** Whether a server is configured for files of this kind. */
  supports(path: string): boolean
  /** The server's own answer, with its positions as the protocol has them; null where it has none. */
  request(
    operation: LspOperation,
    at: LspPosition,
    options?: { readonly signal?: AbortSignal; readonly newName?: string; readonly query?: string },
  ): Promise<unknown>
  /** What the server says of the file as it stands on disk; rejects where that is not known within `waitMs`. */
  diagnostics(
    path: string,
    options?: { readonly signal?: AbortSignal; readonly waitMs?: number },
  ): Promise<readonly LspDiagnostic[]>
}
