import { scanNotebook } from '../../edits/notebook/scan-notebook.js'
import { isRecord } from '../../shared/is-record.js'
import type { Steps } from '../../shared/steps.js'

/** The parts of a Jupyter notebook that Read shows. */
export interface Notebook {
  readonly language: string
  readonly cellCount: number
  /** Yields the cells from one index to another, exclusive. Each is read when it is needed, because there may be many. */
  cells(from: number, to?: number): Iterable<NotebookCell>
}

export interface NotebookCell {
  /** The ID of the cell; in older formats, which have none, `cell-` and its index. */
  readonly id: string
  readonly type: string
  readonly source: string
  readonly executionCount?: number
  readonly outputs: readonly NotebookOutput[]
}

export type NotebookOutput =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'image'; readonly base64: string }

/** Parses a notebook file; undefined if it is not a notebook. */
export function* parseNotebook(text: string): Steps<Notebook | undefined> {
  try {
    const notebook = yield* scanNotebook(text)
    if (notebook === undefined) return undefined
    const { data, cells } = notebook
    return {
      language: readLanguage(data.metadata),
      cellCount: cells.length,
      *cells(from, to = cells.length) {
        for (let index = from; index < Math.min(to, cells.length); index += 1) yield readCell(cells[index], index)
      },
    }
  } catch (error) {
    // The file is not JSON.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function readLanguage(metadata: unknown): string {
  if (!isRecord(metadata)) return 'python'
  for (const info of [metadata.language_info, metadata.kernelspec]) {
    const name = isRecord(info) ? (info.name ?? info.language) : undefined
    if (typeof name === 'string') return name
  }
  return 'python'
}

function readCell(cell: unknown, index: number): NotebookCell {
  const record = isRecord(cell) ? cell : {}
  const { execution_count: count, outputs } = record
  return {
    id: typeof record.id === 'string' ? record.id : `cell-${index}`,
    type: typeof record.cell_type === 'string' ? record.cell_type : 'raw',
    source: joinLines(record.source),
    ...(typeof count === 'number' && { executionCount: count }),
    outputs: Array.isArray(outputs) ? outputs.flatMap(readOutput) : [],
  }
}

function readOutput(output: unknown): NotebookOutput[] {
  if (!isRecord(output)) return []
  if (output.output_type === 'stream') return [{ kind: 'text', text: removeEscapes(joinLines(output.text)) }]
  if (output.output_type === 'error') return [{ kind: 'error', text: removeEscapes(formatError(output)) }]
  return isRecord(output.data) ? readRepresentations(output.data) : []
}

function formatError({ ename, evalue, traceback }: Record<string, unknown>): string {
  const lines = Array.isArray(traceback) ? traceback.filter((line) => typeof line === 'string') : []
  return lines.length > 0 ? lines.join('\n') : `${String(ename)}: ${String(evalue)}`
}

/** Returns the image and the plainest text of an output with several representations. */
function readRepresentations(data: Record<string, unknown>): NotebookOutput[] {
  const outputs: NotebookOutput[] = []
  const imageType = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'].find((type) => type in data)
  if (imageType !== undefined) outputs.push({ kind: 'image', base64: joinLines(data[imageType]) })
  const textType = ['text/plain', 'text/markdown', 'text/html', 'application/json'].find((type) => type in data)
  if (textType === undefined) return outputs
  const value = data[textType]
  const isText = typeof value === 'string' || Array.isArray(value)
  return [...outputs, { kind: 'text', text: removeEscapes(isText ? joinLines(value) : JSON.stringify(value)) }]
}

/** More lines are never shown. */
const MAX_LINES = 200_000

/** Joins the text of a notebook, which is a string or a list of lines with their endings. */
function joinLines(text: unknown): string {
  if (typeof text === 'string') return text
  if (!Array.isArray(text)) return ''
  const lines = text.slice(0, MAX_LINES).filter((line) => typeof line === 'string')
  return lines.join('') + (text.length > MAX_LINES ? `[… ${text.length - MAX_LINES} more lines]\n` : '')
}

/** Removes terminal escape sequences, such as colours. */
function removeEscapes(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
  return text.replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, '')
}
