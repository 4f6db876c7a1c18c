import { closeSync, openSync, readSync } from 'node:fs'

/**
 * Returns the longest time in milliseconds for which the action kept the event loop busy, as CPU time of this thread:
 * a busy machine does not change it. The time is read once in every turn of the loop.
 * @param {() => Promise<unknown>} action
 */
export async function measureLongestBlock(action) {
  let longestBlock = 0
  let hasEnded = false
  const clock = openThreadClock()
  let previousTime = clock.read()
  const recordTurn = () => {
    if (hasEnded) return
    const now = clock.read()
    longestBlock = Math.max(longestBlock, now - previousTime)
    previousTime = now
    setImmediate(recordTurn)
  }
  setImmediate(recordTurn)
  try {
    await new Promise((resolve) => setImmediate(resolve))
    await action()
  } finally {
    recordTurn()
    hasEnded = true
    clock.close()
  }
  return longestBlock
}

/**
 * Creates a clock of the CPU milliseconds of this thread. Where the system has none, it counts all threads of the
 * process, which is never less.
 */
function openThreadClock() {
  try {
    const descriptor = openSync('/proc/thread-self/schedstat', 'r')
    const buffer = Buffer.alloc(64)
    const read = () => Number.parseInt(buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, 64, 0)), 10) / 1e6
    return { read, close: () => closeSync(descriptor) }
  } catch {
    const read = () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e3
    }
    return { read, close: () => {} }
  }
}
