/** A position in a file. Lines and characters count from 1, as editors show them; characters are UTF-16 units. */
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

/** The operations that send one request about a position or a name, by the names that models use. */
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

/** An operation of a language server, such as `hover`. */
export type LspOperation = (typeof LSP_OPERATIONS)[number]

/** The state of one language server. */
export interface LspServerStatus {
  readonly name: string
  /** The project folder that it works on. */
  readonly root: string
  readonly state: 'starting' | 'running' | 'ended' | 'failed'
  readonly pid?: number
  /** The memory of the server and the processes that it started. */
  readonly memoryBytes?: number
  /** As the server states it. */
  readonly version?: string
  readonly lastError?: string
}

/** Options of a request to a language server. */
export interface LspRequestOptions {
  readonly signal?: AbortSignal
  /** The new name of a symbol, for `rename`. */
  readonly newName?: string
  /** The name to search for, for `workspaceSymbol`. */
  readonly query?: string
}

/**
 * Communicates with language servers, which start on first use. Paths are absolute. Answers describe the files as they are on
 * disk when the request is made. Failures are errors whose message may be shown to the model.
 */
export interface LspPort {
  /** Explains which server to install or configure for the type of this file; undefined if there is one. */
  findProblem(path: string): Promise<string | undefined>
  /** Returns the unmodified answer of the server, with the positions of the protocol (from 0), or null. */
  request(operation: LspOperation, at: LspPosition, options?: LspRequestOptions): Promise<unknown>
  /** Returns the diagnostics of the file as it is on disk; rejects if they are not available within `waitMs`. */
  diagnostics(
    path: string,
    options?: { readonly signal?: AbortSignal; readonly waitMs?: number },
  ): Promise<readonly LspDiagnostic[]>
  /** Returns the servers that were started, including those that have ended since. */
  status(): Promise<readonly LspServerStatus[]>
  /** Returns the folders in which a rename may change files. */
  workingFolders(): readonly string[]
}
