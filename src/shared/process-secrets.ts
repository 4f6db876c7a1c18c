/** Files of /proc that show the variables, the memory or the stack of a process. */
const PROCESS_SECRET_PATH = /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem|auxv|stack|pagemap|smaps|numa_maps|maps)$/

/** Whether a path shows what a process keeps in its variables or memory. The path must be absolute and normalised. */
export function isProcessSecret(path: string): boolean {
  return PROCESS_SECRET_PATH.test(path)
}
