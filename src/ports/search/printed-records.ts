/** What ripgrep prints of one file: a path, a zero byte, and what stands behind it up to the end of the line. */
export interface PrintedRecord {
  readonly path: Buffer
  readonly rest: Buffer
}

/** Said of a file in which something was found before it turned out to be binary; it has no zero byte. */
const NOTICE =
  /^(.*?): (?:WARNING: stopped searching binary file after match|binary file matches) \(found "\\0" byte around offset \d+\)\n/s

/** The records of a whole output; one that was cut off in the middle is left out. */
export function* printedRecords(output: Buffer): Generator<PrintedRecord> {
  let at = 0
  for (;;) {
    at += noticeLength(output, at)
    const zero = output.indexOf(0, at)
    if (zero === -1) return
    const end = output.indexOf(0x0a, zero)
    if (end === -1) return
    yield { path: output.subarray(at, zero), rest: output.subarray(zero + 1, end) }
    at = end + 1
  }
}

/** Whether ripgrep found something in a file that it does not print, since it is binary. */
export function isBinaryMatch(output: Buffer): boolean {
  return /: binary file matches \(found "\\0" byte around offset \d+\)\n$/.test(output.toString('latin1'))
}

const MAX_NOTICE = 5_000
const CLOSING_BRACKET = 0x29

function noticeLength(output: Buffer, at: number): number {
  const lineEnd = output.indexOf(0x0a, at)
  if (lineEnd === -1 || output[lineEnd - 1] !== CLOSING_BRACKET) return 0
  const zero = output.indexOf(0, at)
  if (zero !== -1 && zero < lineEnd) return 0
  const line = output.subarray(at, Math.min(lineEnd + 1, at + MAX_NOTICE)).toString('latin1')
  return NOTICE.test(line) ? lineEnd + 1 - at : 0
}
