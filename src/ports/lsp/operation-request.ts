import type { MessageConnection } from 'vscode-jsonrpc/node'
import type { LspOperation, LspPosition } from '../../contract/ports/lsp.js'
import { uriOf } from './protocol.js'

export interface OperationOptions {
  readonly newName?: string
  readonly query?: string
}

interface Ask {
  readonly at: LspPosition
  readonly options: OperationOptions
  send(method: string, params: object): Promise<unknown>
}

/** Sends the request of an operation to a server. */
export function askOperation(
  connection: MessageConnection,
  operation: LspOperation,
  at: LspPosition,
  options: OperationOptions,
): Promise<unknown> {
  return OPERATIONS[operation]({ at, options, send: (method, params) => connection.sendRequest(method, params) })
}

const OPERATIONS: Readonly<Record<LspOperation, (ask: Ask) => Promise<unknown>>> = {
  goToDefinition: ({ at, send }) => send('textDocument/definition', placeOf(at)),
  goToImplementation: ({ at, send }) => send('textDocument/implementation', placeOf(at)),
  findReferences: ({ at, send }) =>
    send('textDocument/references', { ...placeOf(at), context: { includeDeclaration: true } }),
  hover: ({ at, send }) => send('textDocument/hover', placeOf(at)),
  documentSymbol: ({ at, send }) => send('textDocument/documentSymbol', { textDocument: { uri: uriOf(at.path) } }),
  workspaceSymbol: ({ options, send }) => send('workspace/symbol', { query: options.query ?? '' }),
  incomingCalls: (ask) => calls(ask, 'callHierarchy/incomingCalls'),
  outgoingCalls: (ask) => calls(ask, 'callHierarchy/outgoingCalls'),
  rename({ at, options, send }) {
    if (options.newName === undefined) return Promise.reject(new Error('A rename needs the new name.'))
    return send('textDocument/rename', { ...placeOf(at), newName: options.newName })
  },
}

async function calls({ at, send }: Ask, method: string): Promise<unknown> {
  const items = await send('textDocument/prepareCallHierarchy', placeOf(at))
  if (!Array.isArray(items)) return null
  const found = await Promise.all(items.map((item) => send(method, { item })))
  return found.flat()
}

function placeOf({ path, line, character }: LspPosition) {
  return { textDocument: { uri: uriOf(path) }, position: { line: line - 1, character: character - 1 } }
}
