/** The indentation of a line as it was said, and as it stands in the file. */
export interface IndentPair {
  readonly said: string
  readonly found: string
}

/** The indentation that stands in the file for one that was said; undefined where none can. */
export type Reindent = (said: string) => string | undefined

/** The one shift that makes every said indentation the one found, if there is one. */
export function reindentBy(pairs: readonly IndentPair[]): Reindent | undefined {
  const [first] = pairs
  if (first === undefined) return undefined
  return addedPrefix(pairs, first) ?? removedPrefix(pairs, first) ?? otherColumns(pairs)
}

function addedPrefix(pairs: readonly IndentPair[], first: IndentPair): Reindent | undefined {
  const prefix = first.found.slice(0, Math.max(0, first.found.length - first.said.length))
  return pairs.every(({ said, found }) => found === prefix + said) ? (said) => prefix + said : undefined
}

function removedPrefix(pairs: readonly IndentPair[], first: IndentPair): Reindent | undefined {
  const prefix = first.said.slice(0, Math.max(0, first.said.length - first.found.length))
  if (!pairs.every(({ said, found }) => said === prefix + found)) return undefined
  return (said) => (said.startsWith(prefix) ? said.slice(prefix.length) : undefined)
}

const TAB_WIDTHS = [4, 2, 8, 3]

/** Tabs for spaces or spaces for tabs, where one width of a tab explains every line. */
function otherColumns(pairs: readonly IndentPair[]): Reindent | undefined {
  const shifts = TAB_WIDTHS.flatMap((width) => {
    const shift = commonShift(pairs, width)
    return shift === undefined ? [] : [{ width, shift }]
  })
  const chosen = shifts.find(({ shift }) => shift === 0) ?? (shifts.length === 1 ? shifts[0] : undefined)
  if (chosen === undefined) return undefined
  const known = new Map(pairs.map(({ said, found }) => [said, found]))
  const usesTabs = pairs.some(({ found }) => found.includes('\t'))
  return (said) => known.get(said) ?? drawIndent(columnsOf(said, chosen.width) + chosen.shift, chosen.width, usesTabs)
}

function commonShift(pairs: readonly IndentPair[], width: number): number | undefined {
  const shifts = new Set(pairs.map(({ said, found }) => columnsOf(found, width) - columnsOf(said, width)))
  return shifts.size === 1 ? [...shifts][0] : undefined
}

function columnsOf(indent: string, width: number): number {
  let columns = 0
  for (const character of indent) columns += character === '\t' ? width - (columns % width) : 1
  return columns
}

function drawIndent(columns: number, width: number, usesTabs: boolean): string | undefined {
  if (columns < 0) return undefined
  return usesTabs ? '\t'.repeat(columns / width) + ' '.repeat(columns % width) : ' '.repeat(columns)
}
