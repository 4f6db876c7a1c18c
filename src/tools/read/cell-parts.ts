import type { NotebookCell, NotebookOutput } from '../../shared/notebook.js'
import { imageType } from './file-kind.js'
import { fitImage } from './fit-image.js'
import type { ReadOutput } from './schema.js'

export type CellPart = Extract<ReadOutput, { type: 'notebook' }>['parts'][number]

const MAX_OUTPUT_CHARS = 10_000

/** A cell as the model reads it: its source, then what it gave. */
export async function cellParts(cell: NotebookCell, language: string): Promise<readonly CellPart[]> {
  const { id, type, source, executionCount, outputs } = cell
  const kind = type === 'code' ? `code, ${language}` : type
  const count = executionCount === undefined ? '' : `, run ${executionCount}`
  const parts: CellPart[] = [{ text: `<cell id="${id}" (${kind}${count})>\n${source}\n</cell>` }]
  for (const output of outputs) parts.push(await outputPart(output))
  return parts
}

async function outputPart(output: NotebookOutput): Promise<CellPart> {
  if (output.kind !== 'image')
    return { text: `<output${output.kind === 'error' ? ' error' : ''}>\n${cut(output.text)}\n</output>` }
  const bytes = Buffer.from(output.base64, 'base64')
  const type = imageType(bytes)
  if (type === undefined) return { text: '<output>[a picture that cannot be shown]</output>' }
  try {
    const { mediaType, base64 } = await fitImage(bytes, type, 'A picture in the outputs')
    return { image: { mediaType, base64 } }
  } catch (error) {
    // The rest of the notebook is worth reading all the same.
    return { text: `<output>[${error instanceof Error ? error.message : 'a picture that cannot be shown'}]</output>` }
  }
}

function cut(text: string): string {
  const trimmed = text.replace(/\n$/, '')
  if (trimmed.length <= MAX_OUTPUT_CHARS) return trimmed
  const half = MAX_OUTPUT_CHARS / 2
  const left = trimmed.length - MAX_OUTPUT_CHARS
  return `${trimmed.slice(0, half)}\n[… ${left} characters of output left out; take them out of the file with a command such as jq …]\n${trimmed.slice(-half)}`
}
