import { isRecord } from '../../shared/is-record.js'

/** The parts of a Jupyter notebook that are used here. */
export interface Notebook {
  readonly language: string
  readonly cells: readonly NotebookCell[]
}

export interface NotebookCell {
  /** The id of the cell, or `cell-` and its index in older formats. */
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
export function parseNotebook(text: string): Notebook | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    // Not JSON.
    return undefined
  }
  if (!isRecord(parsed) || !Array.isArray(parsed.cells)) return undefined
  return { language: languageOf(parsed.metadata), cells: parsed.cells.map(cellOf) }
}

function languageOf(metadata: unknown): string {
  if (!isRecord(metadata)) return 'python'
  for (const info of [metadata.language_info, metadata.kernelspec]) {
    const name = isRecord(info) ? (info.name ?? info.language) : undefined
    if (typeof name === 'string') return name
  }
  return 'python'
}

function cellOf(cell: unknown, index: number): NotebookCell {
  const given = isRecord(cell) ? cell : {}
  const { execution_count: count, outputs } = given
  return {
    id: typeof given.id === 'string' ? given.id : `cell-${index}`,
    type: typeof given.cell_type === 'string' ? given.cell_type : 'raw',
    source: joinLines(given.source),
    ...(typeof count === 'number' && { executionCount: count }),
    outputs: Array.isArray(outputs) ? outputs.flatMap(outputOf) : [],
  }
}

function outputOf(output: unknown): NotebookOutput[] {
  if (!isRecord(output)) return []
  if (output.output_type === 'stream') return [{ kind: 'text', text: removeEscapes(joinLines(output.text)) }]
  if (output.output_type === 'error') return [{ kind: 'error', text: removeEscapes(errorText(output)) }]
  return isRecord(output.data) ? dataOf(output.data) : []
}

function errorText({ ename, evalue, traceback }: Record<string, unknown>): string {
  const lines = Array.isArray(traceback) ? traceback.filter((line) => typeof line === 'string') : []
  return lines.length > 0 ? lines.join('\n') : `${String(ename)}: ${String(evalue)}`
}

/** Of several representations of an output the image and the plainest text are used. */
function dataOf(data: Record<string, unknown>): NotebookOutput[] {
  const outputs: NotebookOutput[] = []
  const image = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'].find((type) => type in data)
  if (image !== undefined) outputs.push({ kind: 'image', base64: joinLines(data[image]).replace(/\s/g, '') })
  const text = ['text/plain', 'text/markdown', 'text/html', 'application/json'].find((type) => type in data)
  if (text === undefined) return outputs
  const value = data[text]
  const isText = typeof value === 'string' || Array.isArray(value)
  return [...outputs, { kind: 'text', text: removeEscapes(isText ? joinLines(value) : JSON.stringify(value)) }]
}

/** Text in notebooks is a string or a list of lines with their line ends. */
function joinLines(text: unknown): string {
  if (typeof text === 'string') return text
  return Array.isArray(text) ? text.filter((line) => typeof line === 'string').join('') : ''
}

/** Removes escape sequences. */
function removeEscapes(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
  return text.replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, '')
}
