import type { LspOperation, LspPosition } from '../../contract/ports/lsp.js'
import { toUri } from '../../shared/file-uri.js'
import type { RpcConnection } from './rpc-connection.js'

export interface OperationOptions {
  readonly newName?: string
  readonly query?: string
}

/** The capability that a server states if it supports an operation. */
const PROVIDERS: Readonly<Record<LspOperation, string>> = {
  goToDefinition: 'definitionProvider',
  goToImplementation: 'implementationProvider',
  findReferences: 'referencesProvider',
  hover: 'hoverProvider',
  documentSymbol: 'documentSymbolProvider',
  workspaceSymbol: 'workspaceSymbolProvider',
  incomingCalls: 'callHierarchyProvider',
  outgoingCalls: 'callHierarchyProvider',
  rename: 'renameProvider',
}

export function supportsOperation(capabilities: Readonly<Record<string, unknown>>, operation: LspOperation): boolean {
  return Boolean(capabilities[PROVIDERS[operation]])
}

interface OperationContext {
  readonly at: LspPosition
  readonly options: OperationOptions
  send(method: string, params: object): Promise<unknown>
}

/** Sends the requests of an operation to a server and returns its answer, which has not been validated. */
export function askOperation(
  connection: RpcConnection,
  operation: LspOperation,
  at: LspPosition,
  options: OperationOptions,
  signal: AbortSignal,
): Promise<unknown> {
  return OPERATION_HANDLERS[operation]({
    at,
    options,
    send: (method, params) => connection.request(method, params, signal),
  })
}

const OPERATION_HANDLERS: Readonly<Record<LspOperation, (context: OperationContext) => Promise<unknown>>> = {
  goToDefinition: ({ at, send }) => send('textDocument/definition', toPositionParams(at)),
  goToImplementation: ({ at, send }) => send('textDocument/implementation', toPositionParams(at)),
  findReferences: ({ at, send }) =>
    send('textDocument/references', { ...toPositionParams(at), context: { includeDeclaration: true } }),
  hover: ({ at, send }) => send('textDocument/hover', toPositionParams(at)),
  documentSymbol: ({ at, send }) => send('textDocument/documentSymbol', { textDocument: { uri: toUri(at.path) } }),
  workspaceSymbol: ({ options, send }) => send('workspace/symbol', { query: options.query ?? '' }),
  incomingCalls: (context) => requestCalls(context, 'callHierarchy/incomingCalls'),
  outgoingCalls: (context) => requestCalls(context, 'callHierarchy/outgoingCalls'),
  rename({ at, options, send }) {
    if (options.newName === undefined)
      return Promise.reject(new Error('The rename operation needs newName, the new name of the symbol.'))
    return send('textDocument/rename', { ...toPositionParams(at), newName: options.newName })
  },
}

async function requestCalls({ at, send }: OperationContext, method: string): Promise<unknown> {
  const items = await send('textDocument/prepareCallHierarchy', toPositionParams(at))
  if (!Array.isArray(items)) return null
  const foundCalls = await Promise.all(items.map((item) => send(method, { item })))
  return foundCalls.flat()
}

function toPositionParams({ path, line, character }: LspPosition) {
  return { textDocument: { uri: toUri(path) }, position: { line: line - 1, character: character - 1 } }
}
