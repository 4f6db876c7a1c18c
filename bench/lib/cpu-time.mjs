/**
 * CPU microseconds of this process, on all its threads, while the work runs.
 * @param {() => unknown} work
 */
export async function cpuTime(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/**
 * CPU microseconds of a further call in a turn: the slope between a turn of 10 calls and one of 110.
 * @param {(count: number) => Promise<unknown>} turn
 * @param {number} turns how many turns of each kind to measure: enough for the resolution of the clock
 */
export async function costOfACall(turn, turns) {
  const few = await cpuTime(() => repeat(() => turn(MIN_CALLS), turns))
  const many = await cpuTime(() => repeat(() => turn(MAX_CALLS), turns))
  return (many - few) / turns / (MAX_CALLS - MIN_CALLS)
}

const MIN_CALLS = 10
const MAX_CALLS = 110

/**
 * @param {() => unknown} work
 * @param {number} times
 */
export async function repeat(work, times) {
  for (let time = 0; time < times; time++) await work()
}
