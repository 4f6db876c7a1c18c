/**
 * Returns the CPU time of this process, on all its threads, while the action runs, in microseconds.
 * @param {() => unknown} action
 */
export async function measureCpuTime(action) {
  const usageBefore = process.cpuUsage()
  await action()
  const { user, system } = process.cpuUsage(usageBefore)
  return user + system
}

/**
 * Returns the CPU microseconds of a further call in a turn: the slope between a turn of 10 calls and one of 110.
 * @param {(count: number) => Promise<unknown>} turn
 * @param {number} turns how many turns of each kind to measure; they must take longer than the resolution of the clock
 */
export async function measureCostOfACall(turn, turns) {
  const costOfFew = await measureCpuTime(() => repeat(() => turn(MIN_CALLS), turns))
  const costOfMany = await measureCpuTime(() => repeat(() => turn(MAX_CALLS), turns))
  return (costOfMany - costOfFew) / turns / (MAX_CALLS - MIN_CALLS)
}

const MIN_CALLS = 10
const MAX_CALLS = 110

/**
 * @param {() => unknown} action
 * @param {number} times
 */
export async function repeat(action, times) {
  for (let time = 0; time < times; time++) await action()
}
