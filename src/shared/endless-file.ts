const ENDLESS_FILES = [
  /^\/proc\/(?:[^/]+\/)*(?:mem|kmsg|kcore|pagemap|kpage\w+|clear_refs|sysrq-trigger)$/,
  /^\/sys\/kernel\/(?:debug\/)?tracing\/(?:.*\/)?(?:trace_pipe|trace_pipe_raw|snapshot_raw)$/,
  /^\/dev\/(?!shm\/)/,
]

/** Whether reading a file may never end, as with process memory, kernel logs and devices. Expects the real path. */
export function isEndlessFile(realPath: string): boolean {
  return ENDLESS_FILES.some((pattern) => pattern.test(realPath))
}
