import { availableParallelism, loadavg } from 'node:os'

/**
 * Prints a table of figures. The exit code is 1 if a figure is over its limit.
 * @param {string} title
 * @param {readonly { name: string, value: string, limit?: string, isOver?: boolean }[]} rows
 */
export function report(title, rows) {
  const width = Math.max(...rows.map(({ name }) => name.length))
  console.log(`\n${title}`)
  for (const { name, value, limit, isOver } of rows) {
    const verdict = limit === undefined ? '' : `  ${isOver ? 'OVER' : 'ok  '} at most ${limit}`
    console.log(`  ${name.padEnd(width)}  ${value.padStart(12)}${verdict}`)
  }
  if (rows.some(({ isOver }) => isOver)) process.exitCode = 1
}

/**
 * Whether a figure is over its limit. A figure that was not measured (NaN or infinite) counts as over.
 * @param {number} figure
 * @param {number} limit
 */
export function isOverLimit(figure, limit) {
  return !(Number.isFinite(figure) && figure <= limit)
}

/**
 * Creates a row without a limit for a figure that this machine cannot measure, for example because a peer is not installed.
 * @param {string} name
 */
export function createUnmeasuredRow(name) {
  return { name, value: 'not measured' }
}

/**
 * Creates rows for the results of `interleave`: the median and the ratio to the baseline.
 * @param {readonly { name: string, median: number, ratio: number, limit: number | undefined }[]} results
 * @param {string} unit
 */
export function createRatioRows(results, unit) {
  return results.map(({ name, median, ratio, limit }) => ({
    name: `${name} (${median.toFixed(1)} ${unit})`,
    value: `${ratio.toFixed(2)}×`,
    ...(limit !== undefined && { limit: `${limit}×`, isOver: isOverLimit(ratio, limit) }),
  }))
}

/** @param {string} name @param {number} value @param {number | undefined} limit @param {string} unit */
export function createRow(name, value, limit, unit) {
  const number = Number.isInteger(value) ? String(value) : value.toFixed(2)
  return {
    name,
    value: `${number} ${unit}`.trim(),
    ...(limit !== undefined && { limit: `${limit} ${unit}`.trim(), isOver: isOverLimit(value, limit) }),
  }
}

/**
 * Creates a row for a time on the clock. It is not judged if far more processes want to run than there are processors: then it
 * is mostly the time that others take.
 * @param {string} name @param {number} value @param {number} limit in milliseconds
 */
export function createTimeRow(name, value, limit) {
  const [load = 0] = loadavg()
  const isBusy = load > 2 * availableParallelism()
  return isBusy
    ? createRow(`${name} (not judged: the machine is busy)`, value, undefined, 'ms')
    : createRow(name, value, limit, 'ms')
}

/** Returns the load of the machine, which affects all figures. */
export function readLoad() {
  return loadavg()
    .map((load) => load.toFixed(2))
    .join(' ')
}
