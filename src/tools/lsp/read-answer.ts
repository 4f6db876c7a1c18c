import { basename, isAbsolute } from 'node:path'
import { toPath } from '../../shared/file-uri.js'
import { isRecord } from '../../shared/is-record.js'

/** A place that a server named. Lines and characters count from 1. */
export interface Place {
  readonly path: string
  readonly line: number
  readonly character: number
  readonly label?: string
  readonly depth?: number
}

/** One replacement in a file, with the positions of the protocol (from 0). */
export interface ProtocolEdit {
  readonly start: ProtocolPosition
  readonly end: ProtocolPosition
  readonly newText: string
}

interface ProtocolPosition {
  readonly line: number
  readonly character: number
}

/** Reads the answers of servers, in all forms that the protocol allows. Malformed entries are left out. */

export function readLocations(answer: unknown): readonly Place[] {
  return toArray(answer).flatMap((location) => {
    if (!isRecord(location)) return []
    const place = toPlace(
      location.uri ?? location.targetUri,
      location.range ?? location.targetSelectionRange ?? location.targetRange,
    )
    return place === undefined ? [] : [place]
  })
}

/** Reads the symbols of a file, which are nested or a flat list with containers. */
export function readDocumentSymbols(answer: unknown, path: string, depth = 0): readonly Place[] {
  return toArray(answer).flatMap((symbol): readonly Place[] => {
    if (!isRecord(symbol)) return []
    const location = isRecord(symbol.location) ? symbol.location : undefined
    const start = readStart(symbol.selectionRange ?? symbol.range ?? location?.range)
    if (start === undefined) return []
    const place = { path, ...start, label: describeSymbol(symbol), depth }
    return [place, ...readDocumentSymbols(symbol.children, path, depth + 1)]
  })
}

export function readWorkspaceSymbols(answer: unknown): readonly Place[] {
  return toArray(answer).flatMap((symbol) => {
    if (!isRecord(symbol) || !isRecord(symbol.location)) return []
    const place = toPlace(symbol.location.uri, symbol.location.range ?? FILE_START)
    return place === undefined ? [] : [{ ...place, label: describeSymbol(symbol) }]
  })
}

const FILE_START = { start: { line: 0, character: 0 } }

/** Reads the calls of a function. Each place is a call inside a caller. */
export function readIncomingCalls(answer: unknown): readonly Place[] {
  return toArray(answer).flatMap((call) => {
    const caller = isRecord(call) && isRecord(call.from) ? call.from : undefined
    if (!isRecord(call) || caller === undefined) return []
    const ranges = toArray(call.fromRanges)
    const places = (ranges.length > 0 ? ranges : [caller.selectionRange ?? caller.range]).map((range) =>
      toPlace(caller.uri, range),
    )
    return places.flatMap((place) => (place === undefined ? [] : [{ ...place, label: `in ${describeSymbol(caller)}` }]))
  })
}

/** Reads the functions that a function calls. Each place is the definition of a called function. */
export function readOutgoingCalls(answer: unknown): readonly Place[] {
  return toArray(answer).flatMap((call) => {
    const target = isRecord(call) && isRecord(call.to) ? call.to : undefined
    const place = target && toPlace(target.uri, target.selectionRange ?? target.range)
    if (!isRecord(call) || target === undefined || place === undefined) return []
    const lines = [...new Set(toArray(call.fromRanges).flatMap((range) => readStart(range)?.line ?? []))]
    const calledOn = lines.length === 0 ? '' : `, called on line ${lines.join(', ')}`
    return [{ ...place, label: `${describeSymbol(target)}${calledOn}` }]
  })
}

/** Reads the text of a hover: Markdown, plain text, or several parts of either. Empty if the answer has no text. */
export function readHover(answer: unknown): string {
  if (!isRecord(answer)) return ''
  return toArray(answer.contents)
    .flatMap((part) => {
      if (typeof part === 'string') return [part]
      if (!isRecord(part) || typeof part.value !== 'string') return []
      return typeof part.language === 'string' ? [`\`\`\`${part.language}\n${part.value}\n\`\`\``] : [part.value]
    })
    .join('\n\n')
    .trim()
}

/** The changes of a rename, by file. `problem` says why they cannot be applied. */
export interface WorkspaceEdit {
  readonly editsByPath: ReadonlyMap<string, readonly ProtocolEdit[]>
  readonly problem?: string
}

export function readWorkspaceEdit(answer: unknown): WorkspaceEdit {
  const editsByPath = new Map<string, ProtocolEdit[]>()
  for (const change of isRecord(answer) ? listDocumentChanges(answer) : []) {
    if (!isRecord(change) || !isRecord(change.textDocument)) return { editsByPath, problem: describeFileChange(change) }
    const path = toPath(change.textDocument.uri)
    const edits = toArray(change.edits).map(readEdit)
    const validEdits = edits.filter((edit) => edit !== undefined)
    if (path === undefined || validEdits.length < edits.length)
      return { editsByPath, problem: 'The server returned an edit that is malformed or not in a file.' }
    editsByPath.set(path, [...(editsByPath.get(path) ?? []), ...validEdits])
  }
  return { editsByPath }
}

/** Lists the changes of an edit. The protocol has two forms for them. */
function listDocumentChanges({ documentChanges, changes }: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (documentChanges !== undefined && documentChanges !== null) return toArray(documentChanges)
  return Object.entries(isRecord(changes) ? changes : {}).map(([uri, edits]) => ({ textDocument: { uri }, edits }))
}

function describeFileChange(change: unknown): string {
  const kind = isRecord(change) ? change.kind : undefined
  const action = typeof kind === 'string' ? `${kind} files` : 'make changes that are not edits'
  return `The server wants to ${action}, which rename does not do.`
}

function readEdit(edit: unknown): ProtocolEdit | undefined {
  if (!isRecord(edit) || !isRecord(edit.range) || typeof edit.newText !== 'string') return undefined
  const start = readPosition(edit.range.start)
  const end = readPosition(edit.range.end)
  return start === undefined || end === undefined ? undefined : { start, end, newText: edit.newText }
}

function toPlace(uri: unknown, range: unknown): Place | undefined {
  const path = toPath(uri)
  const start = readStart(range)
  return path === undefined || start === undefined ? undefined : { path, ...start }
}

/** Reads the start of a range, counted from 1. */
function readStart(range: unknown): { readonly line: number; readonly character: number } | undefined {
  const start = isRecord(range) ? readPosition(range.start) : undefined
  return start && { line: start.line + 1, character: start.character + 1 }
}

function readPosition(position: unknown): ProtocolPosition | undefined {
  if (!isRecord(position)) return undefined
  const { line, character } = position
  return isIndex(line) && isIndex(character) ? { line, character } : undefined
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function toArray(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null ? [] : [value]
}

function describeSymbol({ name, kind, containerName }: Readonly<Record<string, unknown>>): string {
  const kindName = SYMBOL_KINDS[Number(kind) - 1] ?? 'symbol'
  const container = typeof containerName === 'string' && containerName !== '' ? ` of ${containerName}` : ''
  // Some servers use the absolute path of a module as its name. The path is shown beside it anyway.
  const shownName = typeof name === 'string' ? (isAbsolute(name) ? basename(name) : name) : ''
  return `${kindName} ${shownName}${container}`
}

/** The kinds of symbols of the protocol, which count from 1. */
const SYMBOL_KINDS = [
  ...['file', 'module', 'namespace', 'package', 'class', 'method', 'property', 'field', 'constructor', 'enum'],
  ...['interface', 'function', 'variable', 'constant', 'string', 'number', 'boolean', 'array', 'object', 'key'],
  ...['null', 'enum member', 'struct', 'event', 'operator', 'type parameter'],
]
