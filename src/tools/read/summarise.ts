import { counted } from '../../shared/counted.js'
import type { ReadOutput } from './schema.js'

/** One line for a person. */
export function summarise(output: ReadOutput): string {
  switch (output.type) {
    case 'text':
      return `Read ${counted(output.lines.length, 'line')}`
    case 'empty':
      return 'The file is empty'
    case 'unchanged':
      return 'Unchanged since the last read'
    case 'image':
      return `Read a picture of ${output.size.width} × ${output.size.height} pixels`
    case 'pdf':
      return `Read ${counted(output.pages.length, 'page')} of ${output.pageCount}`
    case 'notebook':
      return `Read ${counted(output.shownCells, 'cell')}`
  }
}
