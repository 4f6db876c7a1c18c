import type { FileLines, LineOptions } from '../../../contract/ports/files.js'
import { readChunks } from './chunks.js'
import { chooseLineEndFinder, LineRange } from './line-range.js'
import { withRegularFile } from './open-regular.js'

const MAX_HEAD_BYTES = 8 * 1024

/** Reads a range of lines. Earlier lines are only searched for newlines; later lines are not read. */
export function readLines(path: string, options: LineOptions): Promise<FileLines> {
  return withRegularFile(path, options.realPath, async ({ descriptor, stat, realPath }) => {
    let head: Buffer | undefined
    let range: LineRange | undefined
    for await (const chunk of readChunks(descriptor, { size: stat.size, signal: options.signal })) {
      head ??= Buffer.from(chunk.subarray(0, MAX_HEAD_BYTES))
      range ??= new LineRange(options, chooseLineEndFinder(head))
      if (!range.take(chunk)) break
    }
    head ??= Buffer.alloc(0)
    range ??= new LineRange(options, chooseLineEndFinder(head))
    return { ...range.finish(), head, stat, realPath }
  })
}
