/** What is told to a server of the client: enough to be asked and answered, and no more. */
export const CLIENT_CAPABILITIES = {
  workspace: { workspaceFolders: true, configuration: true, symbol: {}, didChangeWatchedFiles: {} },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: {},
    definition: {},
    implementation: {},
    references: {},
    hover: { contentFormat: ['markdown', 'plaintext'] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    callHierarchy: {},
    rename: {},
  },
  general: { positionEncodings: ['utf-16'] },
}
