import { type PatchChunk, PatchSyntaxError } from './patch-section.js'

const RANGE = /^@@+ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/

/** Takes the lines of one file's part of a patch, one after the other. */
export class ChunkReader {
  private readonly chunks: PatchChunk[] = []
  private anchors: string[] = []
  private line: number | undefined
  private oldLines: string[] = []
  private newLines: string[] = []
  private kept: (number | undefined)[] = []

  read(text: string, lineNumber: number): void {
    if (text.startsWith('@@')) this.startChunk(text)
    else if (text.trim() === '*** End of File') this.endChunk(true)
    else if (!text.startsWith('\\')) this.addLine(text, lineNumber)
  }

  end(): readonly PatchChunk[] {
    this.endChunk(false)
    return this.chunks
  }

  private startChunk(text: string): void {
    this.endChunk(false)
    const line = RANGE.exec(text)?.[1]
    // What follows the numbers of a unified diff is a guess of the program that made it.
    if (line !== undefined) this.line = Number(line)
    else if (text.replace(/^@+/, '').trim() !== '') this.anchors.push(text.replace(/^@+|@+$/g, '').trim())
  }

  private addLine(text: string, lineNumber: number): void {
    const mark = text[0] ?? ' '
    if (mark !== ' ' && mark !== '+' && mark !== '-') {
      throw new PatchSyntaxError(
        `Line ${lineNumber} of the patch begins with neither ' ', '+' nor '-': ${JSON.stringify(text.slice(0, 80))}`,
      )
    }
    if (mark !== '-') {
      this.newLines.push(text.slice(1))
      this.kept.push(mark === ' ' ? this.oldLines.length : undefined)
    }
    if (mark !== '+') this.oldLines.push(text.slice(1))
  }

  private endChunk(isAtEnd: boolean): void {
    this.dropStrayBlanks()
    if (this.oldLines.length === 0 && this.newLines.length === 0) return
    const { anchors, oldLines, newLines, kept, line } = this
    this.chunks.push({ anchors, oldLines, newLines, kept, isAtEnd, ...(line !== undefined && { line }) })
    this.anchors = []
    this.oldLines = []
    this.newLines = []
    this.kept = []
    this.line = undefined
  }

  /** Blank lines before the next heading are no context. */
  private dropStrayBlanks(): void {
    while (this.oldLines.at(-1) === '' && this.newLines.at(-1) === '' && this.kept.at(-1) !== undefined) {
      this.oldLines.pop()
      this.newLines.pop()
      this.kept.pop()
    }
  }
}
