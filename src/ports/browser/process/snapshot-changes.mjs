/**
 * Compares two snapshots of a page, so that an answer contains only what changed.
 */

/** Larger comparisons are not made: the page counts as new. */
const MAX_COMPARED_CELLS = 4_000_000
/** If a larger share of the new snapshot has changed, the whole snapshot is easier to read. */
const MAX_CHANGED_SHARE = 0.7

/**
 * Returns the changed lines of a snapshot, each under the lines that contain it. Returns an empty string if nothing changed,
 * and undefined if the whole snapshot should be shown instead. Lines start with `+` if they are new, with `-` if they were
 * removed, and with a space if they only show where the change is.
 * @param {string} before
 * @param {string} after
 * @returns {string | undefined}
 */
export function describeChanges(before, after) {
  if (before === after) return ''
  const newLines = after.split('\n')
  const changes = compareLines(before.split('\n').map(withoutFocus), newLines.map(withoutFocus))
  if (changes === undefined) return undefined
  const text = renderChanges(changes, newLines)
  return text.length > after.length * MAX_CHANGED_SHARE ? undefined : text
}

/**
 * Removes the mark of the focused element. The focus moves with every action, so it is not worth showing as a change.
 * @param {string} line
 */
function withoutFocus(line) {
  return line.replace(' [active]', '')
}

/**
 * @typedef {{ readonly kind: '+', readonly index: number } | { readonly kind: '-', readonly text: string, readonly index: number }} Change
 * `index` is the position in the new snapshot; a line that is gone stood before it.
 */

/**
 * @param {readonly string[]} oldLines
 * @param {readonly string[]} newLines
 * @returns {readonly Change[] | undefined}
 */
function compareLines(oldLines, newLines) {
  const start = countCommon(oldLines, newLines, (list, index) => list[index])
  const maxCount = Math.min(oldLines.length, newLines.length) - start
  const end = Math.min(
    maxCount,
    countCommon(oldLines, newLines, (list, index) => list[list.length - 1 - index]),
  )
  const oldPart = oldLines.slice(start, oldLines.length - end)
  const newPart = newLines.slice(start, newLines.length - end)
  if (oldPart.length * newPart.length > MAX_COMPARED_CELLS) return undefined
  return walkCommon(oldPart, newPart, start)
}

/**
 * Counts the equal lines at one end of both lists.
 * @param {readonly string[]} one
 * @param {readonly string[]} other
 * @param {(list: readonly string[], index: number) => string | undefined} lineAt
 */
function countCommon(one, other, lineAt) {
  const limit = Math.min(one.length, other.length)
  let count = 0
  while (count < limit && lineAt(one, count) === lineAt(other, count)) count++
  return count
}

/**
 * @param {readonly string[]} oldLines
 * @param {readonly string[]} newLines
 * @param {number} start The position of the first line in the new snapshot.
 * @returns {readonly Change[]}
 */
function walkCommon(oldLines, newLines, start) {
  const lengths = measureCommon(oldLines, newLines)
  const width = newLines.length + 1
  /** @type {Change[]} */
  const changes = []
  let i = 0
  let j = 0
  while (i < oldLines.length || j < newLines.length) {
    const hasOldLines = i < oldLines.length
    const hasNewLines = j < newLines.length
    if (hasOldLines && hasNewLines && oldLines[i] === newLines[j]) {
      i++
      j++
    } else if (
      !hasNewLines ||
      (hasOldLines && lengthAt(lengths, (i + 1) * width + j) >= lengthAt(lengths, i * width + j + 1))
    ) {
      changes.push({ kind: '-', text: oldLines[i] ?? '', index: start + j })
      i++
    } else {
      changes.push({ kind: '+', index: start + j })
      j++
    }
  }
  return changes
}

/**
 * Returns the length of the longest common subsequence of the rest of both lists, for every pair of positions.
 * @param {readonly string[]} oldLines
 * @param {readonly string[]} newLines
 */
function measureCommon(oldLines, newLines) {
  const width = newLines.length + 1
  const lengths = new Uint32Array((oldLines.length + 1) * width)
  for (let i = oldLines.length - 1; i >= 0; i--) {
    for (let j = newLines.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        oldLines[i] === newLines[j]
          ? lengthAt(lengths, (i + 1) * width + j + 1) + 1
          : Math.max(lengthAt(lengths, (i + 1) * width + j), lengthAt(lengths, i * width + j + 1))
    }
  }
  return lengths
}

/**
 * @param {Uint32Array} lengths
 * @param {number} index
 */
function lengthAt(lengths, index) {
  return lengths[index] ?? 0
}

/**
 * @param {readonly Change[]} changes
 * @param {readonly string[]} newLines
 */
function renderChanges(changes, newLines) {
  /** @type {string[]} */
  const output = []
  /** The indexes of lines that are already printed or need not be printed. @type {Set<number>} */
  const printedIndexes = new Set(changes.filter(({ kind }) => kind === '+').map(({ index }) => index))
  for (const change of foldRemovals(changes)) {
    const text = change.kind === '+' ? (newLines[change.index] ?? '') : change.text
    for (const index of findContainers(newLines, change.index, indentOf(text))) {
      if (printedIndexes.has(index)) continue
      printedIndexes.add(index)
      output.push(`  ${newLines[index]}`)
    }
    output.push(`${change.kind} ${text}`)
  }
  return output.join('\n')
}

/**
 * Keeps only the outermost of the removed lines, each with the number of lines below it.
 * @param {readonly Change[]} changes
 */
function foldRemovals(changes) {
  /** @type {Change[]} */
  const foldedChanges = []
  /** The last removed line that was kept. @type {{ indent: number, position: number, count: number } | undefined} */
  let lastRemoval
  for (const [position, change] of changes.entries()) {
    const isBelow =
      change.kind === '-' &&
      lastRemoval !== undefined &&
      position === lastRemoval.position + 1 &&
      indentOf(change.text) > lastRemoval.indent
    if (isBelow && lastRemoval !== undefined) {
      lastRemoval = { ...lastRemoval, position, count: lastRemoval.count + 1 }
      const keptChange = foldedChanges.at(-1)
      if (keptChange?.kind === '-')
        foldedChanges[foldedChanges.length - 1] = {
          ...keptChange,
          text: describeFolded(keptChange.text, lastRemoval.count),
        }
      continue
    }
    foldedChanges.push(change)
    lastRemoval = change.kind === '-' ? { indent: indentOf(change.text), position, count: 0 } : undefined
  }
  return foldedChanges
}

/**
 * @param {string} text
 * @param {number} count
 */
function describeFolded(text, count) {
  return `${text.replace(/ \(and \d+ lines? below\)$/, '')} (and ${count} line${count === 1 ? '' : 's'} below)`
}

/**
 * Returns the lines that contain the line at `index`, outermost first.
 * @param {readonly string[]} lines
 * @param {number} index
 * @param {number} indent
 */
function findContainers(lines, index, indent) {
  const containers = []
  let limit = indent
  for (let at = index - 1; at >= 0 && limit > 0; at--) {
    const lineIndent = indentOf(lines[at] ?? '')
    if (lineIndent >= limit) continue
    limit = lineIndent
    containers.unshift(at)
  }
  return containers
}

/** @param {string} line */
function indentOf(line) {
  return line.length - line.trimStart().length
}
