import { type ToolRow, traitWords } from './tool-row.js'

const WIDTH_WITHOUT_TERMINAL = 100

/** The tools for a person to read: no line is wider than the terminal. */
export function toolTable(rows: readonly ToolRow[], columns = WIDTH_WITHOUT_TERMINAL): string {
  if (rows.length === 0) return 'No tool is in the pool.\n'
  const nameWidth = Math.max(...rows.map(({ name }) => name.length))
  const lines = rows.map((row) => {
    const name = row.name.padEnd(nameWidth)
    const hint = row.searchHint === undefined ? [] : [row.searchHint]
    return cut([name, [...hint, traitWords(row).join(', ')].join(' · ')].join('  '), columns)
  })
  const deferred = rows.filter((row) => row.deferred).length
  const tools = rows.length === 1 ? '1 tool' : `${rows.length} tools`
  return `${lines.join('\n')}\n\n${cut(`${tools}, ${deferred} deferred. haft tools show NAME tells more.`, columns)}\n`
}

function cut(line: string, columns: number): string {
  return line.length <= columns ? line : `${line.slice(0, Math.max(0, columns - 1))}…`
}
