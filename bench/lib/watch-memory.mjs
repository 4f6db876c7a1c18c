import { readdirSync, readFileSync } from 'node:fs'

const INTERVAL_MS = 3

/**
 * Watches the memory of a process and its descendants. Pages that two processes share count twice.
 * @param {number} root
 */
export function watchMemory(root) {
  let peakBytes = 0
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, readResidentBytes(root))
  }, INTERVAL_MS)
  return {
    /** Stops watching and returns the peak in bytes. */
    stop() {
      clearInterval(timer)
      return peakBytes
    },
  }
}

/**
 * @param {number} pid
 * @returns {number}
 */
export function readResidentBytes(pid) {
  try {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) * 1024 + listChildren(pid).reduce((sum, child) => sum + readResidentBytes(child), 0)
  } catch {
    // The process has just exited.
    return 0
  }
}

/** @param {number} pid */
function listChildren(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  )
}
