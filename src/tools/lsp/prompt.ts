export const prompt = `Asks a language server about code: where a symbol is defined and used, its type and documentation, and what is wrong in a file. It knows scopes and types, so unlike a text search it distinguishes symbols with the same name.

Operations:
- goToDefinition, goToImplementation, findReferences: places, each with its source line
- hover: the type and documentation of a symbol
- documentSymbol: the outline of a file
- workspaceSymbol: symbols of the project whose name matches query; filePath is any file of the language
- incomingCalls, outgoingCalls: the callers of a function, and the functions that it calls
- diagnostics: errors and warnings of a file
- rename: renames a symbol in all files to newName; changes all files or none

Usage:
- line and character count from 1, as editors and Read show them. character must be on the name of the symbol: count tabs as one.
- Answers describe the files as they are on disk now, even after commands and other programs have changed them.
- The first request of a project starts its server and takes longer.
- If no server is installed for the language, the error says which one to install. Use Grep and Read then.`
