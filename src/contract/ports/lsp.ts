/** A position in a file. Lines and characters count from 1. */
export interface LspPosition {
  readonly path: string
  readonly line: number
  readonly character: number
}

/** A problem that a language server reports. */
export interface LspDiagnostic extends LspPosition {
  readonly severity: 'error' | 'warning' | 'information' | 'hint'
  readonly message: string
  readonly source?: string
}

/** The supported operations of a language server, by the names that models use. */
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

/** An operation of the LSP tool, such as `hover`. */
export type LspOperation = (typeof LSP_OPERATIONS)[number]

/** Communicates with language servers, which start on first use. Paths are absolute. */
export interface LspPort {
  /** Whether a server is configured for the type of this file. */
  supports(path: string): boolean
  /** Returns the unmodified answer of the server, with the positions of the protocol (from 0), or null. */
  request(
    operation: LspOperation,
    at: LspPosition,
    options?: { readonly signal?: AbortSignal; readonly newName?: string; readonly query?: string },
  ): Promise<unknown>
  /** Returns the diagnostics of the file as it is on disk; rejects if they are not available within `waitMs`. */
  diagnostics(
    path: string,
    options?: { readonly signal?: AbortSignal; readonly waitMs?: number },
  ): Promise<readonly LspDiagnostic[]>
}
