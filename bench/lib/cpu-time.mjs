/**
 * CPU microseconds that something takes in this process, on all its threads.
 * @param {() => unknown} work
 */
export async function cpuTime(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/**
 * CPU microseconds of one more call in a turn: the slope between a turn of few calls and one of many.
 * @param {(count: number) => Promise<unknown>} turn
 * @param {number} turns how many of each, so that what is measured is well above what a clock can tell
 */
export async function costOfACall(turn, turns) {
  const few = await cpuTime(() => repeat(() => turn(FEW), turns))
  const many = await cpuTime(() => repeat(() => turn(MANY), turns))
  return (many - few) / turns / (MANY - FEW)
}

const FEW = 10
const MANY = 110

/**
 * @param {() => unknown} work
 * @param {number} times
 */
export async function repeat(work, times) {
  for (let time = 0; time < times; time++) await work()
}
