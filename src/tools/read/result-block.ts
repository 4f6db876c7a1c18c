import { type ImageBlock, type ToolResultBlock, type ToolResultContent, textResult } from '../../contract/messages.js'
import type { ReadOutput } from './schema.js'

type OutputOf<Type extends ReadOutput['type']> = Extract<ReadOutput, { type: Type }>

export function createReadBlock(output: ReadOutput, toolUseId: string): ToolResultBlock {
  const content = toContent(output)
  return typeof content === 'string'
    ? textResult(toolUseId, content)
    : { type: 'tool_result', tool_use_id: toolUseId, content }
}

function toContent(output: ReadOutput): string | readonly ToolResultContent[] {
  switch (output.type) {
    case 'text':
      return numberLines(output)
    case 'empty':
      return `${output.path} exists and is empty.`
    case 'unchanged':
      return `${output.path} has not changed since you read ${output.part} of it: that result is still valid. If you no longer have it, read it with another limit.`
    case 'image':
      return createImageContent(output)
    case 'pdf':
      return formatPdf(output)
    case 'notebook':
      return createNotebookContent(output)
  }
}

function numberLines(output: OutputOf<'text'>): string {
  const { lines, firstLine, hasMore } = output
  const text = lines.map((line, at) => `${firstLine + at}\t${line}`).join('\n')
  return hasMore ? `${text}\n\n${describeRest(output)}` : text
}

function describeRest({ lines, firstLine, totalLines, cutAt }: OutputOf<'text'>): string {
  const nextLine = firstLine + lines.length
  const part = totalLines === undefined ? 'More lines follow' : `Lines ${firstLine} to ${nextLine - 1} of ${totalLines}`
  const reason = cutAt === undefined ? '' : `; one read returns at most ${cutAt}`
  return `[${part}${reason}. Continue with offset ${nextLine}.]`
}

function createImageContent({ image, size, originalSize }: OutputOf<'image'>): readonly ToolResultContent[] {
  if (originalSize === undefined) return [createImageBlock(image)]
  const text = `The image is ${originalSize.width} × ${originalSize.height} pixels and is shown at ${size.width} × ${size.height}.`
  return [createImageBlock(image), { type: 'text', text }]
}

function formatPdf({ pageCount, pages }: OutputOf<'pdf'>): string {
  const lastPage = pages.at(-1)?.page ?? 0
  const texts = pages.map(
    ({ page, text }) => `<page ${page} of ${pageCount}>\n${text === '' ? NO_TEXT : text}\n</page>`,
  )
  if (lastPage < pageCount)
    texts.push(`[${pageCount - lastPage} more pages follow. Continue with pages: "${lastPage + 1}".]`)
  return texts.join('\n')
}

const NO_TEXT = '[no text; the page may be a scanned image]'

function createNotebookContent({
  parts,
  cellCount,
  firstCell,
  shownCells,
}: OutputOf<'notebook'>): string | readonly ToolResultContent[] {
  if (cellCount === 0) return 'The notebook has no cells.'
  const nextCell = firstCell + shownCells
  const allParts =
    nextCell <= cellCount ? [...parts, { text: `[More cells follow. Continue with offset ${nextCell}.]` }] : parts
  return allParts.map((part) => ('text' in part ? { type: 'text', text: part.text } : createImageBlock(part.image)))
}

function createImageBlock({ mediaType, base64 }: { readonly mediaType: string; readonly base64: string }): ImageBlock {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } }
}
