import { readdirSync, readFileSync } from 'node:fs'

const EVERY_MS = 3

/**
 * Follows the memory of a process and of all below it. Pages that two of them share are counted twice.
 * @param {number} root
 */
export function watchMemory(root) {
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(root))
  }, EVERY_MS)
  return {
    /** The most bytes at once. */
    stop() {
      clearInterval(timer)
      return peak
    },
  }
}

/**
 * @param {number} pid
 * @returns {number}
 */
function residentBytes(pid) {
  try {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) * 1024 + childrenOf(pid).reduce((sum, child) => sum + residentBytes(child), 0)
  } catch {
    // It ended just now.
    return 0
  }
}

/** @param {number} pid */
function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  )
}
